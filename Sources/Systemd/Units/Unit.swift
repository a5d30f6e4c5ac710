/// A unit that a service manager has loaded.
package struct Unit: Equatable, Sendable {
    /// With its type: `ssh.service`.
    package var name: String
    package var description: String
    /// Such as `loaded`, `masked`, `not-found`.
    package var load: String
    package var state: UnitState

    package init(name: String, description: String, load: String, state: UnitState) {
        self.name = name
        self.description = description
        self.load = load
        self.state = state
    }

    /// `service`, for `ssh.service`.
    package var type: Substring { Unit.type(of: name) }

    package static func type(of name: String) -> Substring {
        name.utf8.lastIndex(of: UInt8(ascii: ".")).map { name[name.utf8.index(after: $0)...] } ?? ""
    }
}

/// What a unit is doing.
package struct UnitState: Equatable, Sendable {
    /// Such as `active`, `failed`, `activating`.
    package var active: String
    /// What that is for this type of unit: `running`, `listening`.
    package var sub: String
    /// Since when, in milliseconds since 1970; nil for one that was always so, and while it is not known.
    package var since: Int?

    package init(active: String, sub: String, since: Int? = nil) {
        self.active = active
        self.sub = sub
        self.since = since
    }
}

/// What can be done with a unit.
package enum UnitAction: String, CaseIterable, Sendable {
    case start, stop, restart
}
