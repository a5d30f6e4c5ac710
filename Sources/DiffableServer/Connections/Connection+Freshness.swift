import Diffable
import DiffableProtocol
import DiffableStore

// A read whose turn has come may want a newer state of a shared list than is here. It keeps its turn until that has come: what
// is behind it waits, and what the connection follows goes on.

/// What is to come before a read is carried out.
final class FreshnessWait {
    fileprivate(set) var result: Result<ListState, StoreError>?
    /// Whether the read is answered with what is here if nothing newer can be had.
    let isPatient: Bool

    init(isPatient: Bool) { self.isPatient = isPatient }

    /// Why the read is refused; nil when it is not, or not yet.
    var refusal: StoreError? {
        if !isPatient, case .failure(let error) = result { error } else { nil }
    }
}

extension Connection {
    /// Whether the list is as new here as the request wants it, or that is refused. If neither, the connection is due when it
    /// is.
    func isFresh(_ request: Request) -> Bool {
        if let freshnessWait { return freshnessWait.result != nil }
        guard let wanted = wantedFreshness(of: request) else { return true }
        let wait = FreshnessWait(isPatient: wanted.isPatient)
        freshnessWait = wait
        var isBegun = false
        let complete = onLoop { [self] (result: Result<ListState, StoreError>) in
            wait.result = result
            if isBegun, freshnessWait === wait { markDue() }
        }
        let peer = peer
        hub.store.assumeIsolated {
            $0.awaitState(of: wanted.list, wanted.freshness, by: peer, completion: complete)
        }
        isBegun = true
        return wait.result != nil
    }

    private func wantedFreshness(of request: Request) -> (list: ListName, freshness: Freshness, isPatient: Bool)? {
        if let (list, freshness) = request.wantedFreshness { return (list, freshness, false) }
        // Who goes on at another host may have been further there. To show an older state first would be to go back.
        guard case .subscribe(let subscribe) = request, let since = subscribe.since,
            let state = hub.store.assumeIsolated({ $0.list(subscribe.list) }),
            state.epoch == since.epoch, state.revision < since.revision
        else { return nil }
        return (subscribe.list, .notOlderThan(since.revision), true)
    }
}
