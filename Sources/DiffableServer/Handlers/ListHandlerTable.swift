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

    /// The first registration that the handler would replace: a kind of request before an action, then by name. A handler of all
    /// actions overlaps with handlers of single actions.
    func overlap(with handler: HandlerMachine.Handler) -> Overlap? {
        for kind in HandlerRequestKind.allCases where handler.requests.contains(kind) {
            if kinds[kind] != nil { return Overlap(kind: kind, action: nil) }
            guard kind == .perform else { continue }
            let action =
                if let named = handler.actions { named.first { actions[$0] != nil } } else { actions.keys.min() }
            if let action { return Overlap(kind: kind, action: action) }
        }
        return nil
    }

    /// The handlers that the handler would replace.
    func replaced(by handler: HandlerMachine.Handler) -> Set<HandlerMachine.HandlerID> {
        var replaced = Set(handler.requests.compactMap { kinds[$0] })
        guard handler.requests.contains(.perform) else { return replaced }
        if let named = handler.actions {
            replaced.formUnion(named.lazy.compactMap { actions[$0] })
        } else {
            replaced.formUnion(actions.values)
        }
        return replaced
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
