import DiffableJSON
import DiffableProtocol

extension Connection {
    /// A limit of the daemon's, by the name of its setting; nil when the daemon has none of that name.
    package func limit(_ name: String) async throws(ClientError) -> Int? {
        let result = try await reply(to: .hello(.init()))
        let hello = try decoded { () throws(DecodingError) in try Reply.Hello(json: result) }
        return hello.limits.first { $0.name == name }?.max
    }
}
