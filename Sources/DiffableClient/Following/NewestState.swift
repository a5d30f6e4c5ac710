import Diffable
import DiffableProtocol

/// A list's newest state, and the state that its consumer got last. A state machine without I/O. It has no queue: all messages
/// change the local copy, and the consumer gets the diff between two states. So the cost does not depend on the consumer's speed.
struct NewestState: Sendable {
    private(set) var mirror = LocalCopy()
    private var given = Snapshot()
    private var hasGiven = false
    /// The cause of an update that the consumer has not seen; nil if it has seen everything.
    private var news: UpdateCause?
    /// Nil for an ordinary list, which is not a mirror.
    private var liveness: Liveness?
    private let ifAbsent: AbsentList
    /// The end of the sequence; `.success` is the list's own end.
    private var end: Result<Void, ClientError>?

    init(ifAbsent: AbsentList = .isError) { self.ifAbsent = ifAbsent }

    enum Output {
        case update(Subscription.Update)
        case end(Result<Void, ClientError>)
    }

    /// Nil if the consumer has to wait. An update before the end is returned first.
    mutating func takeOutput(of list: ListName) -> Output? {
        guard let cause = news else { return end.map { .end($0) } }
        let update = Subscription.Update(
            list: list, epoch: mirror.epoch, revision: mirror.revision, snapshot: mirror.snapshot, previous: given,
            cause: hasGiven ? cause.sinceOneWasGiven : .initial, window: mirror.window, liveness: liveness,
            viewNumber: mirror.view.number)
        news = nil
        given = mirror.snapshot
        hasGiven = true
        return .update(update)
    }

    var isDue: Bool { news != nil || end != nil }

    mutating func receive(_ message: Message) {
        guard end == nil else { return }
        do throws(ClientError) { try apply(message) } catch { end = .failure(error) }
    }

    private mutating func apply(_ message: Message) throws(ClientError) {
        switch message {
        case .reset(let reset):
            if try mirror.receive(reset) == .complete { mergeCause(UpdateCause(resetReason: reset.reason)) }
        case .changes(let changes):
            if try mirror.receive(changes) == .complete { mergeCause(.changes) }
        case .listDeleted:
            guard ifAbsent == .isAwaited else { return end = .success(()) }
            // The list may be created again.
            mirror.clear()
            liveness = nil
            // A consumer that has seen no state keeps waiting.
            news = hasGiven ? .deleted : nil
        case .subscriptionEnded(_, _, let reason, let message):
            throw .subscriptionEnded(Refusal(.init(rawValue: reason), message))
        case .bookmark(let bookmark):
            guard bookmark.liveness != liveness else { break }
            liveness = bookmark.liveness
            // Only after the first state.
            if hasGiven || news != nil { mergeCause(.changes) }
        case .snapshot, .patch, .listsChanged, .result, .failure, .request, .requestCancelled, .handlerEnded, .other:
            break
        }
    }

    /// A cause that the consumer has not seen yet stays unless the new one is stronger.
    private mutating func mergeCause(_ cause: UpdateCause) {
        // A list that exists again is a different one.
        if news == .deleted { news = .epoch } else { news = max(news ?? cause, cause) }
    }

    /// Sets the view of the next update, after one that is in progress.
    mutating func setView(_ view: CurrentView.Version) { mirror.setView(view) }

    /// Ends the sequence. Only the first end counts.
    mutating func finish(_ result: Result<Void, ClientError>) {
        if end == nil { end = result }
    }

    /// Continues over another connection: the previous connection's end is ignored, and an incomplete update is discarded.
    mutating func resume(_ view: CurrentView.Version) {
        end = nil
        mirror.discardPart()
        mirror.setView(view)
    }
}
