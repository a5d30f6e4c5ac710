import Diffable
import DiffableJSON
import DiffableStore
import Glibc
import Yams

/// Reads the setting `access`: rules with names of users and groups, which must exist.
///
///     - prefix: "sys."
///       create: {users: [root], groups: [adm]}
///       group: adm
///       mode: "0640"
enum AccessSetting {
    static func rules(in text: String) throws(ConfigurationError) -> [AccessRules.Rule] {
        let root: Node?
        do { root = try Yams.compose(yaml: text) } catch {
            throw .badAccess(place: "access", "\(error)")
        }
        guard case .sequence(let nodes)? = root else {
            throw .badAccess(
                place: "access", "it must be a list of rules, such as [{prefix: \"sys.\", mode: \"0644\"}]")
        }
        var rules: [AccessRules.Rule] = []
        for (index, node) in nodes.enumerated() {
            let rule = try rule(node, at: "access[\(index)]")
            guard !rules.contains(where: { $0.prefix == rule.prefix }) else {
                throw .badAccess(
                    place: "access[\(index)]",
                    "there are two rules for the prefix \"\(rule.prefix)\"; combine them")
            }
            rules.append(rule)
        }
        return rules
    }

    private enum Key: String, CaseIterable {
        case prefix, create, owner, group, mode
    }

    private static func rule(_ node: Node, at place: String) throws(ConfigurationError) -> AccessRules.Rule {
        guard case .mapping(let mapping) = node else {
            throw .badAccess(place: place, "a rule must be a mapping, such as {prefix: \"sys.\", mode: \"0644\"}")
        }
        var rule = AccessRules.Rule()
        for (name, value) in mapping {
            let key: Key = try known(name, at: place)
            let place = "\(place).\(key.rawValue)"
            switch key {
            case .prefix: rule.prefix = try text(value, at: place)
            case .create: rule.creators = try creators(value, at: place)
            case .owner: rule.owner = try user(value, at: place)
            case .group: rule.group = try group(value, at: place)
            case .mode:
                let text = try text(value, at: place)
                do throws(AccessModeError) { rule.mode = try AccessMode(octal: text) } catch {
                    throw .badAccess(place: place, "\(error)")
                }
            }
        }
        return rule
    }

    private enum CreatorsKey: String, CaseIterable {
        case users, groups
    }

    private static func creators(
        _ node: Node, at place: String
    ) throws(ConfigurationError) -> AccessRules.Creators {
        switch node {
        case .scalar(let scalar) where scalar.string == "everyone": return .everyone
        case .scalar(let scalar) where scalar.string == "nobody": return .some(users: [], groups: [])
        case .mapping(let mapping):
            var users: Set<UInt32> = []
            var groups: Set<UInt32> = []
            for (name, value) in mapping {
                let key: CreatorsKey = try known(name, at: place)
                let place = "\(place).\(key.rawValue)"
                guard case .sequence(let names) = value else {
                    throw .badAccess(place: place, "it must be a list of names, such as [alice, bob]")
                }
                for (index, name) in names.enumerated() {
                    switch key {
                    case .users: users.insert(try user(name, at: "\(place)[\(index)]"))
                    case .groups: groups.insert(try group(name, at: "\(place)[\(index)]"))
                    }
                }
            }
            return .some(users: users, groups: groups)
        default:
            throw .badAccess(
                place: place, "it must be everyone, nobody, or {users: [alice], groups: [staff]}; root always can")
        }
    }

    // MARK: Values

    private static func known<Key: RawRepresentable<String> & CaseIterable>(
        _ node: Node, at place: String
    ) throws(ConfigurationError) -> Key {
        let name = node.string ?? "?"
        if let key = Key(rawValue: name) { return key }
        let all = Key.allCases.map(\.rawValue)
        let suggestion =
            nearestName(to: name, among: all).map { "Did you mean \($0)?" }
            ?? "The keys are \(all.joined(separator: ", "))"
        throw .badAccess(place: place, "unknown key \"\(name)\". \(suggestion)")
    }

    private static func text(_ node: Node, at place: String) throws(ConfigurationError) -> String {
        guard case .scalar(let scalar) = node else {
            throw .badAccess(place: place, "it must be one value, not a list or a mapping")
        }
        return scalar.string
    }

    private static func user(_ node: Node, at place: String) throws(ConfigurationError) -> UInt32 {
        let name = try text(node, at: place)
        if let number = getpwnam(name)?.pointee.pw_uid ?? number(name) { return number }
        throw .badAccess(
            place: place, "there is no user \"\(name)\" on this host; correct the name, or create the user")
    }

    private static func group(_ node: Node, at place: String) throws(ConfigurationError) -> UInt32 {
        let name = try text(node, at: place)
        if let number = getgrnam(name)?.pointee.gr_gid ?? number(name) { return number }
        throw .badAccess(
            place: place, "there is no group \"\(name)\" on this host; correct the name, or create the group")
    }

    /// The greatest number means "none" to the system.
    private static func number(_ text: String) -> UInt32? { UInt32(text).flatMap { $0 < .max ? $0 : nil } }
}
