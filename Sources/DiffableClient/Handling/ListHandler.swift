import Diffable
import DiffableJSON
import DiffableProtocol

/// The closures with which a program handles a list's requests; see `Client.handle`.
public struct ListHandler: Sendable {
    private var actions: [ActionName: @Sendable (ActionRequest) async throws -> Content?] = [:]
    private var anyAction: (@Sendable (ActionRequest) async throws -> Content?)?
    private var proposals: (@Sendable (Proposal) async throws -> [ListOperation]?)?
    private var children: (@Sendable (ChildrenRequest) async throws -> Void)?

    package init() {}

    /// Performs an action. An error that the closure throws refuses it, with the error's description for the caller; a
    /// `RequestFailure` means that it may have happened.
    public mutating func perform(
        _ action: ActionName, _ body: @escaping @Sendable (ActionRequest) async throws -> Void
    ) {
        actions[action] = { request in
            try await body(request)
            return nil
        }
    }

    /// Performs an action that has a result for the caller.
    ///
    ///     list.perform("count", returning: Content.self) { request in try Content(json: "\(request.items.count)") }
    public mutating func perform(
        _ action: ActionName, returning _: Content.Type,
        _ body: @escaping @Sendable (ActionRequest) async throws -> Content
    ) {
        actions[action] = { try await body($0) }
    }

    /// Performs every action that has no closure of its own.
    public mutating func performAny(_ body: @escaping @Sendable (ActionRequest) async throws -> Content?) {
        anyAction = body
    }

    /// Consents to a proposal by returning, and refuses it by throwing.
    public mutating func propose(_ body: @escaping @Sendable (Proposal) async throws -> Void) {
        proposals = { proposal in
            try await body(proposal)
            return nil
        }
    }

    /// Applies the operations that the closure returns instead of a proposal; it refuses by throwing.
    public mutating func amendProposals(_ body: @escaping @Sendable (Proposal) async throws -> [ListOperation]) {
        proposals = { try await body($0) }
    }

    /// Inserts the children of an item that a user opens: the closure adds them to the list.
    public mutating func expand(_ body: @escaping @Sendable (ChildrenRequest) async throws -> Void) {
        children = body
    }

    /// The same, but a request for children succeeds only after this closure has returned too.
    package func waitingForChildren(_ wait: @escaping @Sendable () async throws -> Void) -> ListHandler {
        guard let children else { return self }
        var handler = self
        handler.children = { request in
            try await children(request)
            try await wait()
        }
        return handler
    }

    func registration(_ list: ListName, _ existing: ExistingHandler) -> Request.Handle {
        var kinds: Set<HandlerRequestKind> = []
        if anyAction != nil || !actions.isEmpty { kinds.insert(.perform) }
        if proposals != nil { kinds.insert(.propose) }
        if children != nil { kinds.insert(.expand) }
        let names = anyAction == nil && !actions.isEmpty ? actions.keys.sorted() : nil
        return Request.Handle(list: list, requests: kinds, actions: names, existing: existing)
    }

    func answer(to received: ReceivedRequest) async throws -> Request.Answer.Verdict {
        let request = received.request
        switch request.content {
        case .perform(let action, let target, let arguments):
            guard let body = actions[action] ?? anyAction else {
                throw RequestRefusal("this handler does not perform the action \"\(action)\", and nothing was done")
            }
            let result = try await body(
                ActionRequest(
                    list: request.list, action: action, target: target, arguments: arguments.map(Content.init),
                    revision: request.revision, client: request.from))
            return .consent(result: result?.bytes, operations: nil)
        case .propose(let operations, _):
            guard let proposals else { throw RequestRefusal("this handler does not decide on proposals") }
            let (initial, final) = try await received.states(operations)
            let proposal = Proposal(
                list: request.list, operations: operations, initialSnapshot: initial, finalSnapshot: final,
                revision: request.revision, client: request.from)
            return .consent(result: nil, operations: try await proposals(proposal))
        case .expand(let item):
            guard let children else { throw RequestRefusal("this handler does not load children") }
            try await children(
                ChildrenRequest(list: request.list, item: item, revision: request.revision, client: request.from))
            return .consent(result: nil, operations: nil)
        }
    }
}

/// An error that refuses the request, with a text for the caller. (Any other error refuses it, too.)
public struct RequestRefusal: Error, CustomStringConvertible, Sendable {
    /// The text for the caller.
    public var description: String

    /// Refuses with a text for users.
    public init(_ description: String) { self.description = description }
}

/// An error which means that the request may have been carried out: the caller gets `handlerLost` with this text, and should
/// check before a retry.
public struct RequestFailure: Error, CustomStringConvertible, Sendable {
    /// The text for the caller.
    public var description: String

    /// Creates the error with a text for users that explains the uncertainty.
    public init(_ description: String) { self.description = description }
}

/// A request to perform an action.
public struct ActionRequest: Sendable {
    /// The list.
    public let list: ListName
    /// The requested action.
    public let action: ActionName
    /// The target of the action.
    public let target: ActionTarget
    /// The caller's arguments; nil for none.
    public let arguments: Content?
    /// The list's revision at the time of the request; nil for a handler that may not read the list.
    public let revision: Int?
    /// The caller.
    public let client: ClientIdentity

    /// The target items; empty if the target is a section or the list.
    public var items: [ItemID] {
        if case .items(let items) = target { items } else { [] }
    }
}

/// A proposed change, like UIKit's `NSDiffableDataSourceTransaction`.
public struct Proposal: Sendable {
    /// The list.
    public let list: ListName
    /// The operations as the caller sent them.
    public let operations: [ListOperation]
    /// The list's current state.
    public let initialSnapshot: Snapshot
    /// The list's state after the change.
    public let finalSnapshot: Snapshot
    /// The revision of the initial snapshot.
    public let revision: Int?
    /// The caller.
    public let client: ClientIdentity

    /// The operations from the initial to the final snapshot, in canonical form. If one row moves past another, they may move
    /// the other one; `operations` shows which row the user moved.
    public var difference: [ListOperation] { finalSnapshot.difference(from: initialSnapshot) }
}

/// A request for the children of an item that a user opens, and that has none yet.
public struct ChildrenRequest: Sendable {
    /// The list.
    public let list: ListName
    /// The item whose children are requested.
    public let item: ItemID
    /// The list's revision at the time of the request; nil for a handler that may not read the list.
    public let revision: Int?
    /// The caller.
    public let client: ClientIdentity
}

/// Why a handler has ended.
public enum HandlerEnd: Sendable, Equatable {
    /// Another handler replaced this one.
    case replaced
    /// The list was deleted or renamed.
    case listDeleted
    /// This user may not change the list any more.
    case permissionDenied
    /// A reason that only a newer daemon knows.
    case unknown(String)

    init(_ reason: String) {
        switch HandlerNotification.EndReason(rawValue: reason) {
        case .replaced: self = .replaced
        case .listDeleted: self = .listDeleted
        case .permissionDenied: self = .permissionDenied
        case nil: self = .unknown(reason)
        }
    }
}
