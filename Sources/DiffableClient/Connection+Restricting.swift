import Diffable
import DiffableJSON
import DiffableProtocol

extension Connection {
    /// Gives up methods and lists for the rest of this connection, before it passes on requests of others. A second call only
    /// narrows further.
    ///
    /// - Parameters:
    ///   - methods: the names of the methods that stay; nil: all. An unknown one is refused as `invalidParams`.
    ///   - lists: the names of the lists that stay, or prefixes of names and `*`; nil: all. At most 1,000.
    public func restrict(methods: Set<String>? = nil, lists: [ListName]? = nil) async throws(ClientError) {
        var kept: Set<Method>?
        if let methods {
            let known = methods.compactMap(Method.init)
            guard known.count == methods.count else {
                let unknown = methods.filter { Method(rawValue: $0) == nil }.sorted().joined(separator: ", ")
                throw .refused(Refusal(.invalidParams, "there is no method \(unknown)"))
            }
            kept = Set(known)
        }
        _ = try await reply(to: .restrict(.init(methods: kept, lists: lists)))
    }

    /// The methods that this connection can call.
    public func methods() async throws(ClientError) -> [String] {
        let result = try await reply(to: .hello(.init()))
        return try decoded { () throws(DecodingError) in try Reply.Hello(json: result).methods }
    }
}
