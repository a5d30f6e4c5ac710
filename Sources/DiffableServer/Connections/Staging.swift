import Diffable
import DiffableProtocol

/// Brings together a transaction that comes in parts, one connection's at a time.
///
/// Nothing happens before the last part. When something is wrong with a part, all that follow are let go, and the last
/// one is answered with the error: a transaction is never carried out without one of its parts.
struct Staging {
    private enum State {
        case idle
        case begun(Kind, [Operation], length: Int)
        case failed(WireError)
    }

    /// What all parts must say alike.
    private enum Kind: Equatable {
        case transact(ListName)
        case apply(ListName, section: SectionID?)

        var list: ListName {
            switch self {
            case .transact(let list), .apply(let list, _): list
            }
        }
    }

    enum Verdict {
        /// The part is kept for the last one.
        case staged(ListName)
        case carryOut(Request)
        case refuse(WireError)
    }

    private var state = State.idle
    /// Of all parts together, in bytes.
    private let lengthMax: Int

    init(lengthMax: Int) { self.lengthMax = lengthMax }

    /// Takes a `transact` or an `apply` that came in a line of so many bytes.
    mutating func take(_ request: Request, length: Int) -> Verdict {
        switch (part(of: request), state) {
        case (.last, .idle): return .carryOut(request)
        case (.more, .failed(let error)): return .refuse(error)
        case (.last, .failed(let error)):
            state = .idle
            return .refuse(error)
        case (let part, let before):
            let begun: (kind: Kind, operations: [Operation], length: Int)? =
                if case .begun(let kind, let operations, let length) = before { (kind, operations, length) } else {
                    nil
                }
            // Let go of, so that the operations are not copied when more are appended.
            state = .idle
            return take(request, part, after: begun, length: length)
        }
    }

    private mutating func take(
        _ request: Request, _ part: Request.Part, after begun: (kind: Kind, operations: [Operation], length: Int)?,
        length: Int
    ) -> Verdict {
        guard let (kind, operations) = Self.content(of: request), begun.map({ $0.kind == kind }) ?? true else {
            return refuse(Self.notAPart(of: begun?.kind), part)
        }
        let length = (begun?.length ?? 0) + length
        guard length <= lengthMax else { return refuse(Self.tooLong(kind.list, max: lengthMax), part) }
        let all = (begun?.operations ?? []) + operations
        switch part {
        case .more:
            state = .begun(kind, all, length: length)
            return .staged(kind.list)
        case .last: return .carryOut(Self.whole(request, all))
        }
    }

    private mutating func refuse(_ error: WireError, _ part: Request.Part) -> Verdict {
        if case .more = part { state = .failed(error) }
        return .refuse(error)
    }

    /// A part could not be read.
    mutating func fail(_ error: WireError) {
        if case .failed = state { return }
        state = .failed(error)
    }

    // MARK: Requests

    private func part(of request: Request) -> Request.Part {
        switch request {
        case .transact(let transact): transact.part
        case .apply(let apply): apply.part
        default: .last
        }
    }

    private static func content(of request: Request) -> (Kind, [Operation])? {
        switch request {
        case .transact(let transact): return (.transact(transact.list), transact.operations)
        case .apply(let apply):
            guard case .operations(let operations, let section) = apply.contents else { return nil }
            return (.apply(apply.list, section: section), operations)
        default: return nil
        }
    }

    /// The request as if it had come in one line. What it says beside the operations is the last part's.
    private static func whole(_ last: Request, _ operations: [Operation]) -> Request {
        switch last {
        case .transact(var transact):
            transact.operations = operations
            return .transact(transact)
        case .apply(var apply):
            if case .operations(_, let section) = apply.contents {
                apply.contents = .operations(operations, section: section)
            }
            return .apply(apply)
        default: return last
        }
    }

    // MARK: Errors

    private static func notAPart(of begun: Kind?) -> WireError {
        guard let list = begun?.list else {
            return WireError(.invalidParams, "an apply in parts has \"operations\" in each part, not \"snapshot\"")
        }
        return WireError(
            .invalidParams,
            "a request in parts was begun for the list \"\(list)\", and this is no part of it; nothing of either was "
                + "carried out: send all parts again, one after the other, the last without \"more\"",
            list: list)
    }

    private static func tooLong(_ list: ListName, max: Int) -> WireError {
        WireError(
            .tooLarge, "the parts together are longer than transactionLengthMax = \(max) bytes", list: list,
            limit: WireError.Limit("transactionLengthMax", max: max))
    }
}
