import Diffable
import DiffableJSON
import DiffableProtocol

// What a list's handler is asked. Nothing of it is done twice: whoever asks again says so.

extension Connection {
    /// Asks the list's handler to perform an action, and waits for its answer.
    ///
    /// What the handler has changed before it answered has come to this connection's subscriptions by then. Refused as
    /// `noHandler` and `refused`, nothing happened; as `handlerTimedOut` and `handlerLost`, it may have.
    ///
    /// - Parameters:
    ///   - arguments: JSON that only the handler looks into.
    ///   - ifRevision: refused as `revisionMismatch` unless the list is at this revision.
    ///   - timeout: how long the daemon waits for the answer: 1 ms to 10 minutes; nil: 30 seconds.
    public func perform(
        _ list: ListName, _ action: ActionName, on target: ActionTarget = .list, arguments: Content? = nil,
        ifRevision: Int? = nil, timeout: Duration? = nil
    ) async throws(ClientError) -> ActionResult {
        let result = try await performJSON(
            list, action, on: target, arguments: arguments, ifRevision: ifRevision, timeout: timeout)
        return try decoded { () throws(DecodingError) in ActionResult(try Reply.Perform(json: result)) }
    }

    /// The same, with the daemon's own answer.
    package func performJSON(
        _ list: ListName, _ action: ActionName, on target: ActionTarget, arguments: Content?, ifRevision: Int?,
        timeout: Duration?
    ) async throws(ClientError) -> [UInt8] {
        try await reply(
            to: .perform(
                .init(
                    list: list, action: action, target: target, arguments: arguments?.bytes, ifRevision: ifRevision,
                    timeout: timeout?.milliseconds)))
    }

    /// Has operations applied if the list's handler consents; where there is none, as `transact`. See there.
    ///
    /// - Parameters:
    ///   - timeout: how long the daemon waits for the answer: 1 ms to 10 minutes; nil: 30 seconds.
    ///   - requestKey: asked again under the same key, on any connection, what was applied is not applied twice.
    @discardableResult
    public func propose(
        _ list: ListName, _ operations: [ListOperation], ifRevision: Int? = nil, requestKey: RequestKey? = nil,
        lease: LeaseTerm? = nil, mode: TransactionMode = .commit, timeout: Duration? = nil
    ) async throws(ClientError) -> Outcome {
        try checkPatches(in: operations)
        return try await outcome(
            of: RequestWriter(
                propose: list, .values(OperationsWriter(operations, expansion: .asSaid)), ifRevision: ifRevision,
                requestKey: requestKey, lease: lease, mode: mode, timeout: timeout?.milliseconds))
    }

    /// Proposes operations as somebody wrote them.
    package func propose(
        _ list: ListName, _ operations: OperationsText, ifRevision: Int? = nil, requestKey: RequestKey? = nil,
        mode: TransactionMode = .commit, timeout: Duration? = nil
    ) async throws(ClientError) -> Outcome {
        try await outcome(
            of: RequestWriter(
                propose: list, .text(operations), ifRevision: ifRevision, requestKey: requestKey, mode: mode,
                timeout: timeout?.milliseconds))
    }

    /// Asks the list's handler for the children of an item. One that has children, or whose list has no handler for that, is
    /// answered at once. Nobody's expansion changes.
    ///
    /// - Returns: the list's revision then; zero for one who may not read it.
    @discardableResult
    public func expand(
        _ list: ListName, _ item: ItemID, timeout: Duration? = nil
    ) async throws(ClientError) -> Int {
        let result = try await reply(to: .expand(.init(list: list, item: item, timeout: timeout?.milliseconds)))
        return try decoded { () throws(DecodingError) in try Reply.Expand(json: result).revision ?? 0 }
    }
}

extension Client {
    /// Asks the list's handler to perform an action, once. See `Connection.perform`.
    ///
    ///     let result = try await client.perform("units", "start", on: .items(["nginx"]))
    ///
    /// - Parameter patience: how long to go on trying to connect; at least once it is tried.
    @discardableResult
    public func perform(
        _ list: ListName, _ action: ActionName, on target: ActionTarget = .list, arguments: Content? = nil,
        ifRevision: Int? = nil, timeout: Duration? = nil, patience: Duration = .seconds(30)
    ) async throws(ClientError) -> ActionResult {
        try await shared.lend(until: .now + patience) { connection throws(ClientError) in
            try await connection.perform(
                list, action, on: target, arguments: arguments, ifRevision: ifRevision, timeout: timeout)
        }.get()
    }

    /// Asks the list's handler for the children of an item. See `Connection.expand`.
    @discardableResult
    public func expand(
        _ list: ListName, _ item: ItemID, timeout: Duration? = nil, patience: Duration = .seconds(30)
    ) async throws(ClientError) -> Int {
        try await shared.lend(until: .now + patience) { connection throws(ClientError) in
            try await connection.expand(list, item, timeout: timeout)
        }.get()
    }
}

/// What a handler made of an action.
public struct ActionResult: Sendable, Equatable {
    /// The list whose handler it was.
    public var list: ListName
    /// The list's revision then; nil for one who may not read it.
    public var revision: Int?
    /// As the handler said it; nil: it said nothing.
    public var result: Content?

    init(_ reply: Reply.Perform) {
        list = reply.list
        revision = reply.revision
        result = reply.result.flatMap { $0 == Array("null".utf8) ? nil : Content($0) }
    }
}

extension Duration {
    /// As many as are needed: a part of one counts as a whole one.
    fileprivate var milliseconds: Int {
        let (seconds, attoseconds) = components
        let (whole, isTooMuch) = seconds.multipliedReportingOverflow(by: 1_000)
        return isTooMuch ? .max : Int(whole) + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
