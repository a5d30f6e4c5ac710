import Diffable
import DiffableInput
import Systemd

/// Turns units into items. An unchanged unit keeps its item, because few of hundreds change at a time.
struct UnitItems {
    private let types: [UnitType]
    private var made: [String: (unit: Unit, item: Item)] = [:]

    init(_ settings: UnitSettings) { types = settings.types.isEmpty ? UnitType.allCases : settings.types }

    /// The units by name. If there are several types, each has a section.
    mutating func list(of units: [String: Unit]) -> WholeList {
        var items: [Substring: [Item]] = [:]
        var all: [String: (unit: Unit, item: Item)] = [:]
        all.reserveCapacity(units.count)
        for (name, unit) in units.sorted(by: { $0.key < $1.key }) where unit.isShown {
            let known = made[name]
            let item = if let known, known.unit == unit { known.item } else { unit.item }
            guard let item else { continue }
            all[name] = (unit, item)
            items[unit.type, default: []].append(item)
        }
        made = all
        guard types.count > 1 else {
            return WholeList(sections: [Section(id: .first, items: types.flatMap { items[$0.rawValue[...]] ?? [] })])
        }
        return WholeList(
            sections: types.compactMap { type in
                guard let items = items[type.rawValue[...]], let id = try? SectionID(type.rawValue) else { return nil }
                return Section(id: id, content: .object([("header", .string(type.header.utf8))]), items: items)
            })
    }
}

extension UnitSettings {
    /// A table. The state is in the words of the unit's type; its tint depends on systemd's own.
    var usualLook: Content {
        let tints = [
            ("active", "green"), ("failed", "red"), ("activating", "yellow"), ("deactivating", "yellow"),
            ("reloading", "yellow"),
        ]
        let tint = Content.object([
            ("path", .string("state".utf8)), ("map", .object(tints.map { ($0, .string($1.utf8)) })),
        ])
        return .object([
            ("layout", .string("table".utf8)),
            (
                "columns",
                .array([
                    .column("text", "unit"), .column("sub", "state", tint: tint), .column("since", format: "age"),
                    .column("description"),
                ])
            ),
        ])
    }
}

extension UnitType {
    fileprivate var header: String {
        switch self {
        case .service: "Services"
        case .timer: "Timers"
        case .socket: "Sockets"
        case .path: "Paths"
        case .mount: "Mounts"
        case .automount: "Automounts"
        case .swap: "Swaps"
        case .target: "Targets"
        case .slice: "Slices"
        case .scope: "Scopes"
        case .device: "Devices"
        }
    }
}

extension Unit {
    /// A unit without a file cannot be started: it is only mentioned in the files of other units.
    var isShown: Bool { load != "not-found" || state.active != "inactive" }

    /// Nil if the name is not a valid id, which does not occur in systemd.
    fileprivate var item: Item? {
        guard let id = try? ItemID(name) else { return nil }
        return Item(id: id, content: content)
    }

    private var content: Content {
        var members: [(String, Content)] = [
            ("text", .string(name.utf8)), ("state", .string(state.active.utf8)), ("sub", .string(state.sub.utf8)),
        ]
        if !description.isEmpty { members.insert(("description", .string(description.utf8)), at: 1) }
        if state.active == "failed" { members.append(("tint", .string("red".utf8))) }
        if let since = state.since { members.append(("since", .number(since))) }
        if load != "loaded" { members.append(("load", .string(load.utf8))) }
        if let file { members.append(("unitFile", .string(file.utf8))) }
        members.append(("actions", .array(actions.map(\.content))))
        return .object(members)
    }

    /// The actions that make sense in this state. systemd decides whether they succeed.
    package var actions: [UnitAction] {
        let isIdle = ["inactive", "failed"].contains(state.active)
        switch type {
        case "device": return []
        case "scope": return isIdle ? [] : [.stop]
        default:
            // The unit has no file to start it from.
            if load != "loaded" { return isIdle ? [] : [.stop] }
            return isIdle ? [.start] : [.stop, .restart]
        }
    }
}

extension UnitAction {
    fileprivate var content: Content {
        var members: [(String, Content)] = [
            ("id", .string(rawValue.utf8)), ("title", .string(title.utf8)), ("multiple", .true),
        ]
        if self == .stop { members.append(("confirm", .true)) }
        return .object(members)
    }

    private var title: String {
        switch self {
        case .start: "Start"
        case .stop: "Stop"
        case .restart: "Restart"
        }
    }
}
