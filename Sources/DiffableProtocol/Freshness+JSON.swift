import Diffable
import DiffableJSON

/// How new the answer to a read is to be, as parameters say it.
struct FreshnessParameters {
    var isMostRecent: Bool?
    var revision: Int?

    var freshness: Freshness {
        get throws(DecodingError) {
            switch (isMostRecent == true, revision) {
            case (true, .some):
                throw .invalidRequest(
                    "mostRecent and notOlderThan exclude each other: what is most recent is no older than any revision that "
                        + "was answered")
            case (true, nil): .mostRecent
            case (false, let revision?): .notOlderThan(revision)
            case (false, nil): .any
            }
        }
    }
}

extension ByteWriter {
    /// That any state will do need not be said.
    mutating func appendParameter(_ freshness: Freshness) {
        switch freshness {
        case .any: break
        case .mostRecent: appendParameter("mostRecent", true)
        case .notOlderThan(let revision): appendParameter("notOlderThan", revision)
        }
    }
}

extension Request {
    /// The list that is read, and how new it is to be; nil for what reads no list, and for what is said to take any state.
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
