import Foundation

/// A server with a volatile list, a client that handles it, and a caller.
final class HandlerBench {
    let daemon: TestServer
    let handler: RawClient
    let asker: RawClient

    /// The list is `tasks`; it has a section `s` with an item `milk`.
    init(mode: String = "0600", durability: String = "volatile") throws {
        daemon = try TestServer()
        handler = try daemon.connect()
        asker = try daemon.connect()
        _ = try handler.reply(
            to: #"{"id":0,"method":"hello","params":{"name":"keeper"}}"#)
        _ = try asker.reply(to: #"{"id":0,"method":"hello","params":{"name":"phone"}}"#)
        _ = try handler.reply(
            to:
                #"{"id":0,"method":"createList","params":{"list":"tasks","durability":"\#(durability)","mode":"\#(mode)"}}"#
        )
        _ = try handler.reply(
            to: Self.transact(#"{"op":"appendSections","sections":[{"id":"s","items":[{"id":"milk"}]}]}"#))
    }

    static func transact(_ operations: String, id: Int = 0, members: String = "") -> String {
        #"{"id":\#(id),"method":"transact","params":{"list":"tasks","operations":[\#(operations)]\#(members)}}"#
    }

    static func append(_ item: String) -> String { #"{"op":"appendItems","items":[{"id":"\#(item)"}]}"# }

    static func perform(_ action: String, id: Int, members: String = "") -> String {
        #"{"id":\#(id),"method":"perform","params":{"list":"tasks","action":"\#(action)"\#(members)}}"#
    }

    static func propose(_ operations: String, id: Int, members: String = "") -> String {
        #"{"id":\#(id),"method":"propose","params":{"list":"tasks","operations":[\#(operations)]\#(members)}}"#
    }

    static func expand(_ item: String, id: Int, members: String = "") -> String {
        #"{"id":\#(id),"method":"expand","params":{"list":"tasks","item":"\#(item)"\#(members)}}"#
    }

    static func answer(_ request: Int, id: Int? = nil, _ members: String = "") -> String {
        let id = id.map { #""id":\#($0),"# } ?? ""
        return #"{\#(id)"method":"answer","params":{"request":\#(request)\#(members)}}"#
    }

    /// Registers a handler, and returns its number.
    @discardableResult
    func handle(_ requests: String, by client: RawClient? = nil, members: String = "") throws -> String {
        try (client ?? handler).reply(
            to: #"{"id":0,"method":"handle","params":{"list":"tasks","requests":[\#(requests)]\#(members)}}"#)
    }

    /// Returns the number and the line of the next request to a handler.
    func request(of client: RawClient? = nil) throws -> (number: Int, line: String) {
        let line = try (client ?? handler).line() ?? "(the end)"
        guard let match = line.firstMatch(of: #/"method":"request","params":\{"handler":[0-9]+,"request":([0-9]+)/#),
            let number = Int(match.1)
        else { throw Failure("no request: \(line)") }
        return (number, line)
    }

    func line(of client: RawClient) throws -> String { try client.line() ?? "(the end)" }
}

extension String {
    /// The name of the error in a reply; "" for a result.
    var errorName: String { firstMatch(of: #/"data":\{"name":"([A-Za-z]+)"/#).map { String($0.1) } ?? "" }
}
