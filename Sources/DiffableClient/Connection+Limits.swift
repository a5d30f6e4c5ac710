import DiffableJSON
import DiffableProtocol

extension Connection {
    package func limit(_ name: String) async throws(ClientError) -> Int? {
        let result = try await reply(to: .hello(.init()))
        let hello = try decoded { () throws(DecodingError) in try Reply.Hello(json: result) }
        return hello.limits.first { $0.name == name }?.max
    }
}
