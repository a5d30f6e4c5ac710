import Diffable
import DiffableJSON
import DiffableProtocol

// Requests for a list's handler. None of them is repeated automatically.

extension Connection {
    /// Asks the list's handler to perform an action, and waits for its response.
    ///
    /// All changes that the handler made before its response have reached this connection's subscriptions by then. Refused as
    /// `noHandler` and `refused`, nothing happened; as `handlerTimedOut` and `handlerLost`, the action may have happened.
    ///
    /// - Parameters:
    ///   - arguments: JSON that only the handler interprets.
    ///   - ifRevision: refused as `revisionMismatch` unless the list is at this revision.
    ///   - timeout: the time that the daemon waits for the handler: 1 ms to 10 minutes; nil: 30 seconds.
    public func perform(
        _ list: ListName, _ action: ActionName, on target: ActionTarget = .list, arguments: Content? = nil,
        ifRevision: Int? = nil, timeout: Duration? = nil
    ) async throws(ClientError) -> ActionResult {
        let result = try await performJSON(
            list, action, on: target, arguments: arguments, ifRevision: ifRevision, timeout: timeout)
        return try decoded { () throws(DecodingError) in ActionResult(try Reply.Perform(json: result)) }
    }

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

    /// Applies operations if the list's handler consents; if there is none, like `transact`. See there.
    ///
    /// - Parameters:
    ///   - timeout: the time that the daemon waits for the handler: 1 ms to 10 minutes; nil: 30 seconds.
    ///   - requestKey: a repetition with the same key, on any connection, is not applied twice.
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

    package func propose(
        _ list: ListName, _ operations: OperationsText, ifRevision: Int? = nil, requestKey: RequestKey? = nil,
        mode: TransactionMode = .commit, timeout: Duration? = nil
    ) async throws(ClientError) -> Outcome {
        try await outcome(
            of: RequestWriter(
                propose: list, .text(operations), ifRevision: ifRevision, requestKey: requestKey, mode: mode,
                timeout: timeout?.milliseconds))
    }

    /// Asks the list's handler for the children of an item. If the item has children, or the list has no such handler, it
    /// returns at once. The item's expansion does not change.
    ///
    /// - Returns: the list's revision then; zero for a caller that may not read it.
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
    /// - Parameter patience: the time to keep trying to connect; at least one attempt is made.
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

/// The result of an action.
public struct ActionResult: Sendable, Equatable {
    /// The list.
    public var list: ListName
    /// The list's revision after it; nil for a caller that may not read it.
    public var revision: Int?
    /// The handler's result; nil if it gave none.
    public var result: Content?

    init(_ reply: Reply.Perform) {
        list = reply.list
        revision = reply.revision
        result = reply.result.flatMap { $0 == Array("null".utf8) ? nil : Content($0) }
    }
}

extension Duration {
    fileprivate var milliseconds: Int {
        let (seconds, attoseconds) = components
        let (whole, isTooMuch) = seconds.multipliedReportingOverflow(by: 1_000)
        return isTooMuch ? .max : Int(whole) + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
