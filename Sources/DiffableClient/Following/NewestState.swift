import Diffable
import DiffableProtocol

/// A list's newest state, against the one that its consumer was given last. A state machine without I/O.
///
/// There is no queue: whatever comes goes into the mirror, and what the consumer has not seen is the difference between
/// two states. So it costs the same however slow the consumer is.
struct NewestState: Sendable {
    private(set) var mirror = Mirror()
    private var given = Snapshot()
    private var hasGiven = false
    /// Why the mirror holds something that the consumer has not seen; nil when it has seen all.
    private var news: UpdateCause?
    /// Of a mirror; nil for an ordinary list.
    private var liveness: Liveness?
    private let ifAbsent: AbsentList
    /// Nothing more will come; `.success` is the list's own end.
    private var end: Result<Void, ClientError>?

    init(ifAbsent: AbsentList = .isError) { self.ifAbsent = ifAbsent }

    /// What there is for the consumer.
    enum Turn {
        case update(Subscription.Update)
        case end(Result<Void, ClientError>)
    }

    /// Nil when it has to wait. What came before an end is given out before it.
    mutating func take(of list: ListName) -> Turn? {
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

    /// Whether the consumer need not wait.
    var isDue: Bool { news != nil || end != nil }

    mutating func receive(_ message: Message) {
        guard end == nil else { return }
        do throws(ClientError) { try take(message) } catch { end = .failure(error) }
    }

    private mutating func take(_ message: Message) throws(ClientError) {
        switch message {
        case .reset(let reset):
            if try mirror.receive(reset) == .complete { note(UpdateCause(resetReason: reset.reason)) }
        case .changes(let changes):
            if try mirror.receive(changes) == .complete { note(.changes) }
        case .listDeleted:
            guard ifAbsent == .isAwaited else { return end = .success(()) }
            // It may come again.
            mirror.clear()
            liveness = nil
            // Who has seen nothing of it goes on waiting.
            news = hasGiven ? .deleted : nil
        case .subscriptionEnded(_, _, let reason, let message):
            throw .subscriptionEnded(Refusal(name: reason, message: message))
        case .bookmark(let bookmark):
            guard bookmark.liveness != liveness else { break }
            liveness = bookmark.liveness
            // A first state is waited for.
            if hasGiven || news != nil { note(.changes) }
        case .snapshot, .patch, .result, .failure, .request, .requestCancelled, .handlerEnded, .other: break
        }
    }

    /// What was not seen yet and says more outweighs what follows it.
    private mutating func note(_ cause: UpdateCause) {
        // What is there again is not the same.
        if news == .deleted { news = .epoch } else { news = max(news ?? cause, cause) }
    }

    /// What comes next is of this view, but for the rest of a group that is under way.
    mutating func setView(_ view: ShownView.Version) { mirror.setView(view) }

    /// Nothing more will come. The first to say so is right.
    mutating func finish(_ result: Result<Void, ClientError>) {
        if end == nil { end = result }
    }

    /// Another connection goes on from here: the end of the one before was none. A group that was cut off is forgotten.
    mutating func resume(_ view: ShownView.Version) {
        end = nil
        mirror.discardPart()
        mirror.setView(view)
    }
}
