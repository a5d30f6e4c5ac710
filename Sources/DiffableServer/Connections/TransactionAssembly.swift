import Diffable
import DiffableProtocol
import DiffableStore

/// Collects a transaction that arrives in parts, one transaction at a time on a connection.
///
/// Nothing is changed before the last part. A transaction is never carried out incompletely: if a part is invalid, or a
/// line that may have been one cannot be read, the following parts are discarded, and the last one is answered with the
/// error.
struct TransactionAssembly {
    private enum State {
        /// `unread` is the error of a line that may have been a first part.
        case idle(unread: WireError?)
        case begun(Begun)
        /// Until the last part.
        case failed(WireError)
    }

    private struct Begun {
        var kind: Kind
        var operations: [ListOperation] = []
        /// The length of the lines so far, in bytes.
        var length = 0
        /// Memory of the lines and of the decoded operations, in bytes.
        var lengthInMemory = 0
    }

    /// The properties that all parts have to share.
    private enum Kind: Equatable {
        case transact(ListName)
        case propose(ListName)
        case apply(ListName, section: SectionID?)

        var list: ListName {
            switch self {
            case .transact(let list), .propose(let list), .apply(let list, _): list
            }
        }
    }

    enum Verdict {
        /// The part was stored.
        case staged(ListName)
        case carryOut(Request)
        case refuse(WireError)
    }

    private var state = State.idle(unread: nil)

    /// Memory of the parts, in bytes.
    var length: Int {
        if case .begun(let begun) = state { begun.lengthInMemory } else { 0 }
    }

    /// The limits for parts, in bytes.
    struct Room {
        var transactionLengthMax: Int
        var heldLengthMax: Int
        /// The part of `heldLengthMax` that is not used.
        var unheld: Int
    }

    /// Takes a `transact`, a `propose` or an `apply` from a line of this length, in bytes.
    mutating func take(_ request: Request, length: Int, _ room: Room) -> Verdict {
        let part = request.part
        if part == .whole { return .carryOut(request) }
        let before = state
        // Cleared, so that operations are appended in place and not copied.
        state = .idle(unread: nil)
        do throws(WireError) {
            let begun = try staged(request, part, after: before, length: length, room)
            guard part == .last else {
                state = .begun(begun)
                return .staged(begun.kind.list)
            }
            return .carryOut(Self.whole(request, begun.operations))
        } catch {
            if part == .more { state = .failed(error) }
            return .refuse(error)
        }
    }

    private func staged(
        _ request: Request, _ part: Request.Part, after before: State, length: Int, _ room: Room
    ) throws(WireError) -> Begun {
        guard let (kind, operations) = Self.content(of: request) else {
            throw WireError(
                .invalidParams,
                "an apply in parts must have \"operations\" in each part, not \"snapshot\"; nothing was changed")
        }
        var begun: Begun
        switch before {
        case .failed(let error): throw error
        case .idle(let unread?): throw Self.lost(unread, kind.list)
        case .idle(nil):
            guard part == .more else { throw Self.neverBegun(kind.list) }
            begun = Begun(kind: kind)
        case .begun(let before):
            guard before.kind == kind else { throw Self.mixed(before.kind.list) }
            begun = before
        }
        begun.length += length
        begun.lengthInMemory += operations.lengthInMemory(line: length)
        guard begun.length <= room.transactionLengthMax else {
            throw Self.tooLong(kind.list, max: room.transactionLengthMax)
        }
        // The last part is not stored.
        guard part == .last || begun.lengthInMemory <= room.unheld else {
            throw .tooMuchHeld(
                list: kind.list, length: begun.lengthInMemory, smaller: "split the change into several requests",
                max: room.heldLengthMax)
        }
        begun.operations += operations
        return begun
    }

    /// Records a refused line, which may have been a part.
    mutating func fail(_ error: WireError, _ line: RefusedLine) {
        switch (line.part, state) {
        case (.whole?, _), (_, .failed): break
        case (.last?, _): state = .idle(unread: nil)
        case (.more?, _): state = .failed(error)
        case (nil, .begun(let begun)): state = .failed(Self.lost(error, begun.kind.list))
        case (nil, .idle): if line.mayBeMore { state = .idle(unread: error) }
        }
    }

    // MARK: Requests

    private static func content(of request: Request) -> (Kind, [ListOperation])? {
        switch request {
        case .transact(let transact): return (.transact(transact.list), transact.operations)
        case .propose(let propose):
            return (.propose(propose.transaction.list), propose.transaction.operations)
        case .apply(let apply):
            guard case .operations(let operations, let section) = apply.contents else { return nil }
            return (.apply(apply.list, section: section), operations)
        default: return nil
        }
    }

    /// The complete request. Everything except the operations is from the last part.
    private static func whole(_ last: Request, _ operations: [ListOperation]) -> Request {
        switch last {
        case .transact(var transact):
            transact.operations = operations
            return .transact(transact)
        case .propose(var propose):
            propose.transaction.operations = operations
            return .propose(propose)
        case .apply(var apply):
            if case .operations(_, let section) = apply.contents {
                apply.contents = .operations(operations, section: section)
            }
            return .apply(apply)
        default: return last
        }
    }

    // MARK: Errors

    private static func lost(_ error: WireError, _ list: ListName) -> WireError {
        WireError(
            .invalidParams,
            "a part of this request may have been in a line that could not be read (\(error.message)); the request was "
                + "not carried out. Correct that line, and send all parts again",
            list: list)
    }

    private static func neverBegun(_ list: ListName) -> WireError {
        WireError(
            .invalidParams,
            "\"more\":false is for the last part of a request, and no part with \"more\":true came before; nothing was changed. "
                + "Send all parts of a request on one connection, or leave \"more\" out of a request in one line",
            list: list)
    }

    private static func mixed(_ list: ListName) -> WireError {
        WireError(
            .invalidParams,
            "parts of two requests are mixed, and neither request was carried out: send all parts of the request for the list "
                + "\"\(list)\" before the first part of another",
            list: list)
    }

    private static func tooLong(_ list: ListName, max: Int) -> WireError {
        WireError(
            .tooLarge,
            "the parts together are longer than \(max) bytes (transactionLengthMax), and nothing was changed; split the change "
                + "into several requests",
            list: list,
            limit: WireError.Limit("transactionLengthMax", max: max))
    }
}
