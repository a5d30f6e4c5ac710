import Diffable
import DiffableJSON

struct FreshnessParameters {
    var isMostRecent: Bool?
    var revision: Int?

    var freshness: Freshness {
        get throws(DecodingError) {
            switch (isMostRecent == true, revision) {
            case (true, .some):
                throw .invalidRequest(
                    "mostRecent and notOlderThan cannot be combined: leave notOlderThan out, because the newest "
                        + "state is never older"
                )
            case (true, nil): .mostRecent
            case (false, let revision?): .notOlderThan(revision)
            case (false, nil): .any
            }
        }
    }
}

extension ByteWriter {
    /// `.any` is left out.
    mutating func appendParameter(_ freshness: Freshness) {
        switch freshness {
        case .any: break
        case .mostRecent: appendParameter("mostRecent", true)
        case .notOlderThan(let revision): appendParameter("notOlderThan", revision)
        }
    }
}

extension Request {
    /// The list to read and its freshness; nil for requests that read no list, and for requests that accept any state.
    package var wantedFreshness: (list: ListName, freshness: Freshness)? {
        switch self {
        case .snapshot(let request) where request.freshness != .any: (request.list, request.freshness)
        case .subscribe(let request) where request.freshness != .any: (request.list, request.freshness)
        case .history(let request) where request.freshness != .any: (request.list, request.freshness)
        case .difference(let request) where request.freshness != .any: (request.list, request.freshness)
        default: nil
        }
    }
}
