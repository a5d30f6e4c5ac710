import DiffableJSON
import Glibc
import Systemd

package struct UnitSettings: Equatable, Sendable {
    /// The service manager. If it is nil, root gets the system's and other users get their own.
    package var bus: UnitBus.Scope?
    /// The types in the list's order; empty for all types.
    package var types: [UnitType] = []
    /// fnmatch(3) patterns of names; empty for any name.
    package var match: [String] = []

    package init() {}

    package func has(_ name: String) -> Bool {
        let type = Unit.type(of: name)
        guard types.isEmpty || types.contains(where: { $0.rawValue == type }) else { return false }
        return match.isEmpty || match.contains { fnmatch($0, name, FNM_NOESCAPE) == 0 }
    }

    /// The patterns to send to systemd. `has` filters the answer further.
    var patterns: [String] {
        if !match.isEmpty { return match }
        return types.isEmpty ? ["*"] : types.map { "*.\($0.rawValue)" }
    }
}

package enum UnitType: String, CaseIterable, Sendable {
    case service, timer, socket, path, mount, automount, swap, target, slice, scope, device
}

extension UnitSettings {
    init(_ mapping: inout YAMLMapping) throws(FeedFileError) {
        self.init()
        guard let member = mapping.take("systemd") else { throw FeedFileError("systemd is missing") }
        var settings = try YAMLMapping(
            member.node, of: "systemd", suchAs: "{units: [service, timer]}", under: "systemd")
        try settings.refuseUnknown(among: ["units", "match", "bus"])
        if let member = settings.take("units") {
            for text in try member.texts(remedy: "name at least one type, or leave `units` out for all types") {
                guard let type = UnitType(rawValue: text) else {
                    let all = UnitType.allCases.map(\.rawValue)
                    let suggestion =
                        nearestName(to: text, among: all).map { "did you mean \($0)?" }
                        ?? "the types are \(all.joined(separator: ", "))"
                    throw member.error("\"\(text)\" is not a type of unit; \(suggestion)")
                }
                guard !types.contains(type) else { throw member.error("\(text) is listed twice; remove one") }
                types.append(type)
            }
        }
        if let member = settings.take("match") {
            match = try member.texts(remedy: "name at least one pattern, or leave `match` out for all units")
        }
        if let member = settings.take("bus") { bus = try member.choice(of: UnitBus.Scope.self) }
    }
}
