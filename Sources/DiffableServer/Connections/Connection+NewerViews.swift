import DiffableJSON
import DiffableProtocol
import NIOCore

/// What a `setView` whose turn has come is the newest of.
///
/// One that a newer one of the same subscription follows is not searched for. It is answered with the newest, and not
/// before: what comes after an answer is of the view that was asked for, or of a newer one.
struct NewerViews {
    /// Those that newer ones have replaced, in their order.
    var replaced: [RequestID] = []
    /// What is being found is the view of one of those.
    var isPreparationOutdated = false
    var search = Search.none

    enum Search {
        case none
        /// The view is being found, and no line is there behind it.
        case awaited
        /// A line is behind it that is something else, or enough have been replaced.
        case over
    }

    /// How many are replaced before one is carried out, so that who sends without end is answered.
    static let replacedMax = Session.answersMax
}

extension Connection {
    /// Whether the view is found that a subscription is to show, or the newest of those that have come since.
    func isPrepared(_ change: Request.SetView, _ id: RequestID) -> Bool {
        // What is found is shown, whatever comes after it.
        if preparation?.isReady == true, !newerViews.isPreparationOutdated { return isPrepared(.setView(change), id) }
        let (newest, newestID, isLast) = newestView(change, id)
        guard isLast else { return false }
        var outdated: ViewPreparation?
        if newerViews.isPreparationOutdated { swap(&outdated, &preparation) }
        newerViews.isPreparationOutdated = false
        let isReady = isPrepared(.setView(newest), newestID)
        // Afterwards, because the new view may share what the old one has.
        if let outdated { hub.end(outdated) }
        if !isReady, newerViews.search == .none { newerViews.search = .awaited }
        return isReady
    }

    /// Takes up the lines behind a `setView` that take its place. When this turn is over before the last one is known, the
    /// rest is left for when the others have had theirs.
    private func newestView(
        _ change: Request.SetView, _ id: RequestID
    ) -> (newest: Request.SetView, RequestID, isLast: Bool) {
        var (newest, newestID) = (change, id)
        session.beginTurn(&hub.turns, at: .now())
        while newerViews.search != .over, session.takesInput, !quota.isPaused {
            switch newerView(than: newest) {
            case .taken(let newer):
                quota.noteRequest()
                traffic.requests += 1
                newerViews.replaced.append(newestID)
                newerViews.isPreparationOutdated = true
                newerViews.search = newerViews.replaced.count < NewerViews.replacedMax ? .none : .over
                (newest, newestID) = newer
                session.outbox.replaceRead(by: .setView(newest), newestID)
                lengthAwaitingTurn = newest.view.lengthInMemory
                if session.isTurnOver(at: .now()) {
                    carryOut(session.enqueue(.postpone))
                    return (newest, newestID, false)
                }
            case .left: newerViews.search = .over
            case .nothing: return (newest, newestID, true)
            }
        }
        return (newest, newestID, true)
    }

    /// The next line, if it is another view for the same subscription.
    private func newerView(than change: Request.SetView) -> LineFramer.Peeked<(Request.SetView, RequestID)> {
        framer.takeNext { [limits = hub.options.limits.decoding] line in
            guard case .line(let bytes) = line else { return nil }
            let decoded = DecodedRequest(line: bytes, limits: limits)
            guard case .success(.setView(let newer)) = decoded.request, newer.subscription == change.subscription
            else { return nil }
            return (newer, decoded.id)
        }
    }
}
