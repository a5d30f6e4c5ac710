import Diffable
import DiffableInput
import Systemd

/// Units as the items of a list. What was made of a unit is kept as long as that is the same: of hundreds, few are ever different.
struct UnitItems {
    private let types: [UnitType]
    private var made: [String: (unit: Unit, item: Item)] = [:]

    init(_ settings: UnitSettings) { types = settings.types.isEmpty ? UnitType.allCases : settings.types }

    /// By name, in a section for each type if they are of several.
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

extension UnitType {
    /// What stands above those of this type.
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
    /// Others have no file, and nobody can start them: they are only named in the files of others.
    var isShown: Bool { load != "not-found" || state.active != "inactive" }

    /// Nil for a name that cannot be an id; systemd has none.
    fileprivate var item: Item? {
        guard let id = try? ItemID(name) else { return nil }
        return Item(id: id, content: content)
    }

    private var content: Content {
        var members: [(String, Content)] = [
            ("text", .string(name.utf8)), ("description", .string(description.utf8)),
            ("state", .string(state.active.utf8)), ("sub", .string(state.sub.utf8)), ("badge", badge),
        ]
        if state.active == "failed" { members.append(("tint", .string("red".utf8))) }
        if let since = state.since { members.append(("since", .number(since))) }
        if load != "loaded" { members.append(("load", .string(load.utf8))) }
        members.append(("actions", .array(actions.map(\.content))))
        return .object(members)
    }

    private var badge: Content {
        let text = Content.string((load == "loaded" ? state.sub : load).utf8)
        let tint: String? =
            switch state.active {
            case "active": "green"
            case "failed": "red"
            case "activating", "deactivating", "reloading": "yellow"
            default: nil
            }
        return tint.map { .object([("text", text), ("tint", .string($0.utf8))]) } ?? text
    }

    /// Those that make sense for it as it is. Whether they can be done is for systemd to say.
    package var actions: [UnitAction] {
        let isIdle = ["inactive", "failed"].contains(state.active)
        switch type {
        case "device": return []
        case "scope": return isIdle ? [] : [.stop]
        default:
            // There is no file to start it by.
            if load != "loaded" { return isIdle ? [] : [.stop] }
            return isIdle ? [.start] : [.stop, .restart]
        }
    }
}

extension UnitAction {
    /// As docs/appearance.md says it.
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
