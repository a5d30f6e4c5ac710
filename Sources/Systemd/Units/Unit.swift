/// A unit that a service manager has loaded.
package struct Unit: Equatable, Sendable {
    /// The name with its type, such as `ssh.service`.
    package var name: String
    package var description: String
    /// The load state, such as `loaded`, `masked`, `not-found`.
    package var load: String
    package var state: UnitState

    package init(name: String, description: String, load: String, state: UnitState) {
        self.name = name
        self.description = description
        self.load = load
        self.state = state
    }

    /// The type, such as `service` for `ssh.service`.
    package var type: Substring { Unit.type(of: name) }

    package static func type(of name: String) -> Substring {
        name.utf8.lastIndex(of: UInt8(ascii: ".")).map { name[name.utf8.index(after: $0)...] } ?? ""
    }
}

/// The state of a unit.
package struct UnitState: Equatable, Sendable {
    /// The active state, such as `active`, `failed`, `activating`.
    package var active: String
    /// The state specific to the unit's type, such as `running`, `listening`.
    package var sub: String
    /// The time of the last change of state, in milliseconds since 1970; nil if the state never changed or the time is unknown.
    package var since: Int?

    package init(active: String, sub: String, since: Int? = nil) {
        self.active = active
        self.sub = sub
        self.since = since
    }
}

/// An action on a unit.
package enum UnitAction: String, CaseIterable, Sendable {
    case start, stop, restart
}
