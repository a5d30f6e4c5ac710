import Diffable
import DiffableProtocol
import DiffableStore

/// Brings together a transaction that comes in parts, one at a time on a connection.
///
/// Nothing happens before the last part. A transaction is never carried out without one of its parts: when something
/// is wrong with a part, or a line that may have been one cannot be read, all that follow are let go, and the last one
/// is answered with the error.
struct Staging {
    private enum State {
        /// `unread` is what was wrong with a line that may have been a first part.
        case idle(unread: WireError?)
        case begun(Begun)
        /// Until the last part.
        case failed(WireError)
    }

    private struct Begun {
        var kind: Kind
        var operations: [ListOperation] = []
        /// Of the lines so far, in bytes.
        var length = 0
        /// Memory of the lines and of the decoded operations, in bytes.
        var lengthInMemory = 0
    }

    /// What all parts must say alike.
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
        /// The part is kept for the last one.
        case staged(ListName)
        case carryOut(Request)
        case refuse(WireError)
    }

    private var state = State.idle(unread: nil)

    /// Memory of the parts, in bytes.
    var length: Int {
        if case .begun(let begun) = state { begun.lengthInMemory } else { 0 }
    }

    /// How long parts may be, in bytes.
    struct Room {
        var transactionLengthMax: Int
        var heldLengthMax: Int
        /// What others leave of it.
        var unheld: Int
    }

    /// Takes a `transact`, a `propose` or an `apply` that came in a line of so many bytes.
    mutating func take(_ request: Request, length: Int, _ room: Room) -> Verdict {
        let part = request.part
        if part == .whole { return .carryOut(request) }
        let before = state
        // Let go of, so that the operations are not copied when more are appended.
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
        // The last one is not kept.
        guard part == .last || begun.lengthInMemory <= room.unheld else {
            throw .tooMuchHeld(
                list: kind.list, length: begun.lengthInMemory, smaller: "split the change into several requests",
                max: room.heldLengthMax)
        }
        begun.operations += operations
        return begun
    }

    /// Takes note of a refused line, which may have been a part.
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

    /// The request as if it had come in one line. What it says beside the operations is the last part's.
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
