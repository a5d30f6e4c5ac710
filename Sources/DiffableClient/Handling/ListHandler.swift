import Diffable
import DiffableJSON
import DiffableProtocol

/// What a program answers for a list; see `Client.handle`.
public struct ListHandler: Sendable {
    private var actions: [ActionName: @Sendable (ActionRequest) async throws -> Content?] = [:]
    private var anyAction: (@Sendable (ActionRequest) async throws -> Content?)?
    private var proposals: (@Sendable (Proposal) async throws -> [ListOperation]?)?
    private var children: (@Sendable (ChildrenRequest) async throws -> Void)?

    package init() {}

    /// Performs an action. What the closure throws refuses it, with the error's description for whoever asked; a
    /// `RequestFailure` says that it may have happened.
    public mutating func perform(
        _ action: ActionName, _ body: @escaping @Sendable (ActionRequest) async throws -> Void
    ) {
        actions[action] = { request in
            try await body(request)
            return nil
        }
    }

    /// Performs an action that has a result for whoever asked.
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

    /// Consents to what others propose by returning, and refuses it by throwing.
    public mutating func propose(_ body: @escaping @Sendable (Proposal) async throws -> Void) {
        proposals = { proposal in
            try await body(proposal)
            return nil
        }
    }

    /// Looks at what others propose, and has what the closure returns applied instead; it refuses by throwing.
    public mutating func amendProposals(_ body: @escaping @Sendable (Proposal) async throws -> [ListOperation]) {
        proposals = { try await body($0) }
    }

    /// Brings the children of an item that somebody opens: the closure adds them to the list.
    public mutating func expand(_ body: @escaping @Sendable (ChildrenRequest) async throws -> Void) {
        children = body
    }

    /// The same, but children count as brought only when the closure returns, too.
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
        var kinds: Set<HandledKind> = []
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
            guard let body = actions[action] ?? anyAction else { throw RequestRefusal("nobody performs that here") }
            let result = try await body(
                ActionRequest(
                    list: request.list, action: action, target: target, arguments: arguments.map(Content.init),
                    revision: request.revision, client: request.from))
            return .consent(result: result?.bytes, operations: nil)
        case .propose(let operations, _):
            guard let proposals else { throw RequestRefusal("nobody looks at proposals here") }
            let (initial, final) = try await received.states(operations)
            let proposal = Proposal(
                list: request.list, operations: operations, initialSnapshot: initial, finalSnapshot: final,
                revision: request.revision, client: request.from)
            return .consent(result: nil, operations: try await proposals(proposal))
        case .expand(let item):
            guard let children else { throw RequestRefusal("nobody brings children here") }
            try await children(
                ChildrenRequest(list: request.list, item: item, revision: request.revision, client: request.from))
            return .consent(result: nil, operations: nil)
        }
    }
}

/// Thrown by what handles a list, it refuses the request with a text for whoever asked. (Any other error does, too.)
public struct RequestRefusal: Error, CustomStringConvertible, Sendable {
    /// What whoever asked is told.
    public var description: String

    /// Refuses with a text for people.
    public init(_ description: String) { self.description = description }
}

/// Thrown by what handles a list, it says that what was asked may have happened: whoever asked hears `handlerLost` with this
/// text, and looks before it asks again.
public struct RequestFailure: Error, CustomStringConvertible, Sendable {
    /// What whoever asked is told.
    public var description: String

    /// Says with a text for people what is not known.
    public init(_ description: String) { self.description = description }
}

/// An action that somebody asks for.
public struct ActionRequest: Sendable {
    /// The list that it is about.
    public let list: ListName
    /// What is to be done.
    public let action: ActionName
    /// What it is to be done with.
    public let target: ActionTarget
    /// As whoever asks said them.
    public let arguments: Content?
    /// Of the list when it was asked; nil for a handler that may not see the list.
    public let revision: Int?
    /// Who asks.
    public let client: ClientIdentity

    /// The items that it is for; none when it is for a section or the list.
    public var items: [ItemID] {
        if case .items(let items) = target { items } else { [] }
    }
}

/// A change that somebody would like to make, as UIKit's `NSDiffableDataSourceTransaction`.
public struct Proposal: Sendable {
    /// The list that it is about.
    public let list: ListName
    /// The operations as the proposer sent them.
    public let operations: [ListOperation]
    /// The list as it is.
    public let initialSnapshot: Snapshot
    /// The list as it would be.
    public let finalSnapshot: Snapshot
    /// Of the initial snapshot.
    public let revision: Int?
    /// Who asks.
    public let client: ClientIdentity

    /// From the initial to the final snapshot, in canonical form. If one row moves past another, it may say that the other
    /// one moves; `operations` says which row the user moved.
    public var difference: [ListOperation] { finalSnapshot.difference(from: initialSnapshot) }
}

/// An item that somebody opens, and that has no children yet.
public struct ChildrenRequest: Sendable {
    /// The list that it is about.
    public let list: ListName
    /// The item whose children are wanted.
    public let item: ItemID
    /// Of the list when it was asked; nil for a handler that may not see the list.
    public let revision: Int?
    /// Who asks.
    public let client: ClientIdentity
}

/// Why a program does not answer for a list any more.
public enum HandlerEnd: Sendable, Equatable {
    /// Another handler said that it replaces this one.
    case replaced
    /// The list was deleted or renamed.
    case listDeleted
    /// This user may not change the list any more.
    case permissionDenied
    /// What only a newer daemon says.
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
