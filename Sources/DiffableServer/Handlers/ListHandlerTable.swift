import Diffable
import DiffableProtocol

/// The handlers of one list: one for each kind of request, and for `perform` one for each action.
struct ListHandlerTable {
    private var kinds: [HandlerRequestKind: HandlerMachine.HandlerID] = [:]
    private var actions: [ActionName: HandlerMachine.HandlerID] = [:]
    /// The open request for each item that is being expanded.
    var expansions: [ItemID: Int] = [:]

    /// A kind of request, or an action, that two handlers would both handle.
    struct Overlap {
        let kind: HandlerRequestKind
        let action: ActionName?
        let handler: HandlerMachine.HandlerID
    }

    var isEmpty: Bool { kinds.isEmpty && actions.isEmpty }

    var all: Set<HandlerMachine.HandlerID> { Set(kinds.values).union(actions.values) }

    var handles: Set<HandlerRequestKind> {
        actions.isEmpty ? Set(kinds.keys) : Set(kinds.keys).union([.perform])
    }

    func handler(for subject: HandlerMachine.Subject) -> HandlerMachine.HandlerID? {
        if case .perform(let action) = subject, let handler = actions[action] { return handler }
        return kinds[subject.kind]
    }

    /// The registrations that the handler would replace. A handler of all actions overlaps with handlers of single
    /// actions.
    func overlap(with handler: HandlerMachine.Handler) -> [Overlap] {
        var overlap: [Overlap] = []
        for kind in HandlerRequestKind.allCases where handler.requests.contains(kind) {
            if let other = kinds[kind] { overlap.append(Overlap(kind: kind, action: nil, handler: other)) }
            guard kind == .perform else { continue }
            for action in handler.actions ?? actions.keys.sorted() {
                guard let other = actions[action] else { continue }
                overlap.append(Overlap(kind: kind, action: action, handler: other))
            }
        }
        return overlap
    }

    mutating func add(_ id: HandlerMachine.HandlerID, _ handler: HandlerMachine.Handler) {
        set(id, for: handler)
    }

    mutating func remove(_ id: HandlerMachine.HandlerID, _ handler: HandlerMachine.Handler) {
        set(nil, for: handler)
        if handler.requests.contains(.expand) { expansions = [:] }
    }

    private mutating func set(_ id: HandlerMachine.HandlerID?, for handler: HandlerMachine.Handler) {
        for kind in handler.requests {
            if kind == .perform, let named = handler.actions {
                for action in named { actions[action] = id }
            } else {
                kinds[kind] = id
            }
        }
    }
}
