import DiffableJSON
import DiffableProtocol
import NIOCore

/// Merges consecutive `setView` requests of one subscription.
///
/// A `setView` followed by a newer one of the same subscription is not evaluated. It is answered together with the
/// newest, and not before, because updates after a reply have to be of the requested view or a newer one.
struct SetViewCoalescing {
    var replaced: [RequestID] = []
    /// Whether the view in preparation belongs to a replaced request.
    var isPreparationOutdated = false
    var search = Search.none

    enum Search {
        case none
        /// The view is being prepared, and no further line has arrived.
        case awaited
        /// The next line is a different request, or enough requests have been replaced.
        case over
    }

    /// The maximum number of requests replaced before one is carried out. A client that sends endlessly still gets
    /// answers.
    static let replacedMax = Session.answersMax
}

extension Connection {
    /// Whether the view of a `setView`, or of the newest one that replaces it, is prepared.
    func prepare(_ change: Request.SetView, _ id: RequestID) -> Bool {
        // A prepared view is shown regardless of later requests.
        if preparation?.isReady == true, !newerViews.isPreparationOutdated { return prepare(.setView(change), id) }
        let (newest, newestID, isLast) = newestView(change, id)
        guard isLast else { return false }
        var outdated: ViewPreparation?
        if newerViews.isPreparationOutdated { swap(&outdated, &preparation) }
        newerViews.isPreparationOutdated = false
        let isReady = prepare(.setView(newest), newestID)
        // Afterwards, because the new view may share parts of the old one.
        if let outdated { hub.end(outdated) }
        if !isReady, newerViews.search == .none { newerViews.search = .awaited }
        return isReady
    }

    /// Consumes following lines with a `setView` that replaces this one. If the time slice ends before the last one is
    /// found, the rest is left until the other connections have had theirs.
    private func newestView(
        _ change: Request.SetView, _ id: RequestID
    ) -> (newest: Request.SetView, RequestID, isLast: Bool) {
        var (newest, newestID) = (change, id)
        session.beginTimeSlice(&hub.turns, at: .now())
        while newerViews.search != .over, session.takesInput, !quota.isPaused {
            switch newerView(than: newest) {
            case .taken(let newer):
                quota.noteRequest()
                traffic.requests += 1
                newerViews.replaced.append(newestID)
                newerViews.isPreparationOutdated = true
                newerViews.search = newerViews.replaced.count < SetViewCoalescing.replacedMax ? .none : .over
                (newest, newestID) = newer
                session.outbox.replaceRead(by: .setView(newest), newestID)
                lengthAwaitingTurn = newest.view.lengthInMemory
                if session.isTimeSliceOver(at: .now()) {
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
