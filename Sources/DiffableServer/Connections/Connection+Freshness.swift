import Diffable
import DiffableProtocol
import DiffableStore

// A read may require a newer state of a shared list than this host has. It keeps its place until that state arrives:
// later requests of the client wait, but its subscriptions continue.

/// The wait for a fresh state before a read is carried out.
final class FreshnessWait {
    fileprivate(set) var result: Result<ListState, StoreError>?
    /// Whether the read is answered with this host's state if no newer one is available.
    let isPatient: Bool

    init(isPatient: Bool) { self.isPatient = isPatient }

    /// The error for the read. Nil while waiting and on success.
    var refusal: StoreError? {
        if !isPatient, case .failure(let error) = result { error } else { nil }
    }
}

extension Connection {
    /// Whether the wait is over: the list is as fresh as requested, or it is known that it will not be. Otherwise the
    /// connection becomes due when it is.
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
        // A client that moved here from another host may have seen a newer state, and showing an older one would be a
        // step back.
        guard case .subscribe(let subscribe) = request, let since = subscribe.since,
            let state = hub.store.assumeIsolated({ $0.list(subscribe.list) }),
            state.epoch == since.epoch, state.revision < since.revision
        else { return nil }
        return (subscribe.list, .notOlderThan(since.revision), true)
    }
}
