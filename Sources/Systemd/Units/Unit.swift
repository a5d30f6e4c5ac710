/// A unit that a service manager has loaded, or that it can load from a file.
package struct Unit: Equatable, Sendable {
    /// The name with its type, such as `ssh.service`.
    package var name: String
    package var description: String
    /// The load state, such as `loaded`, `masked`, `not-found`.
    package var load: String
    package var state: UnitState
    /// The state of the unit file, such as `enabled`, `disabled`, `static`; nil without a file, or if it is unknown.
    package var file: String?

    package init(name: String, description: String, load: String, state: UnitState, file: String? = nil) {
        self.name = name
        self.description = description
        self.load = load
        self.state = state
        self.file = file
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

/// A file that a service manager can load a unit from.
package struct UnitFile: Equatable, Sendable {
    /// The name of the unit.
    package var name: String
    /// The state of the file, such as `enabled`, `disabled`, `masked`, `alias`.
    package var state: String

    package init(name: String, state: String) {
        self.name = name
        self.state = state
    }
}

/// An action on a unit.
package enum UnitAction: String, CaseIterable, Sendable {
    case start, stop, restart
}
