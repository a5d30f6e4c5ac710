import DiffableJSON
import Glibc
import Systemd

/// Units of systemd.
package struct UnitSettings: Equatable, Sendable {
    /// Whose. Nil: the system's for root, and their own for all others.
    package var bus: UnitBus.Scope?
    /// In this order; empty: all that there are.
    package var types: [UnitType] = []
    /// What the names are like, as fnmatch(3) says it; empty: anything.
    package var match: [String] = []

    package init() {}

    package func has(_ name: String) -> Bool {
        let type = Unit.type(of: name)
        guard types.isEmpty || types.contains(where: { $0.rawValue == type }) else { return false }
        return match.isEmpty || match.contains { fnmatch($0, name, FNM_NOESCAPE) == 0 }
    }

    /// What systemd is asked for. Of what it answers `has` keeps a part.
    var patterns: [String] {
        if !match.isEmpty { return match }
        return types.isEmpty ? ["*"] : types.map { "*.\($0.rawValue)" }
    }
}

/// The types of units that systemd has.
package enum UnitType: String, CaseIterable, Sendable {
    case service, timer, socket, path, mount, automount, swap, target, slice, scope, device
}

extension UnitSettings {
    init(_ mapping: inout YAMLMapping) throws(FeedFileError) {
        self.init()
        guard let member = mapping.take("systemd") else { throw FeedFileError("systemd is missing") }
        var settings = try YAMLMapping(member.node, of: "systemd", suchAs: "{units: [service, timer]}")
        try settings.refuseUnknown(among: ["units", "match", "bus"])
        if let member = settings.take("units") {
            for text in try member.texts() {
                guard let type = UnitType(rawValue: text) else {
                    let all = UnitType.allCases.map(\.rawValue)
                    let suggestion =
                        nearestName(to: text, among: all).map { "did you mean \($0)?" }
                        ?? "they are \(all.joined(separator: ", "))"
                    throw member.error("“\(text)” is no type of units; \(suggestion)")
                }
                guard !types.contains(type) else { throw member.error("\(text) stands twice") }
                types.append(type)
            }
        }
        if let member = settings.take("match") { match = try member.texts() }
        if let member = settings.take("bus") { bus = try member.choice(of: UnitBus.Scope.self) }
    }
}
