import Foundation

/// Requests that lead from nothing through a sequence of states. Each is possible only once: a repetition is refused by its
/// `ifRevision`, or because the list already exists or is deleted. So applying one twice is always detected.
struct FixedScript {
    let requests: [String]

    /// Every kind of journal entry, in small.
    static let small = FixedScript(
        requests: [
            create("a"),
            transact("a", 0, #"{"op":"appendSections","sections":[{"id":"s"}]}"#),
            transact("a", 1, append("1") + "," + append("2")),
            create("b"),
            apply("b", 0, rows: 20, length: 400),
            transact("a", 2, #"{"op":"expandItems","items":["1"]}"#),
            delete("b"),
            apply("a", 3, rows: 3, length: 10),
            create("c"),
            transact("a", 4, append("x")),
            // These are possible only once: a repeated one is refused.
            delete("a"),
            request("undeleteList", #""list":"a""#),
            transact("a", 5, append("y")),
            request("renameList", #""list":"a","to":"d""#),
            transact("d", 6, append("z")),
            delete("c"),
            request("undeleteList", #""list":"c","as":"e""#),
        ])

    /// Long enough for checkpoints and for checkpoints of SQLite's log.
    static let large = FixedScript(
        requests: [create("a")] + (0..<16).map { apply("a", $0, rows: 11, length: 30_000) }
            + [transact("a", 16, #"{"op":"expandItems","items":["1"]}"#)])

    private static func request(_ method: String, _ parameters: String) -> String {
        #"{"id":1,"method":"\#(method)","params":{\#(parameters)}}"#
    }

    private static func create(_ list: String) -> String { request("createList", #""list":"\#(list)""#) }

    private static func delete(_ list: String) -> String { request("deleteList", #""list":"\#(list)""#) }

    private static func transact(_ list: String, _ revision: Int, _ operations: String) -> String {
        request("transact", #""list":"\#(list)","ifRevision":\#(revision),"operations":[\#(operations)]"#)
    }

    private static func append(_ item: String) -> String { #"{"op":"appendItems","items":[{"id":"\#(item)"}]}"# }

    private static func apply(_ list: String, _ revision: Int, rows: Int, length: Int) -> String {
        let items = (0..<rows).map { #"{"id":"\#($0)","content":"\#(letters(length, revision &* 7 &+ $0))"}"# }
        return request(
            "apply",
            #""list":"\#(list)","ifRevision":\#(revision),"usingReloadData":\#(revision == 3),"#
                + #""snapshot":{"sections":[{"id":"s","items":[\#(items.joined(separator: ","))]}]}"#)
    }

    private static func letters(_ count: Int, _ seed: Int) -> String {
        String(repeating: Character(UnicodeScalar(UInt8(97 + seed % 26))), count: count)
    }
}

// MARK: - Carrying it out

extension FixedScript {
    /// The result of a request.
    enum Result: Equatable {
        case done
        /// Refused, because it was executed before.
        case refusedAsRepeated
        case noSpace
        /// Unknown whether it was executed.
        case unknown
        case unreadable

        init(_ reply: String?) throws {
            guard let reply else {
                self = .unknown
                return
            }
            let repeated = ["revisionMismatch", "listExists", "noSuchList"]
            if reply.contains(#""result":"#) {
                self = .done
            } else if repeated.contains(where: { reply.contains("\"name\":\"\($0)\"") }) {
                self = .refusedAsRepeated
            } else if reply.contains(#""name":"noSpace""#) {
                self = .noSpace
            } else if reply.contains(#""name":"storageFailed""#) || reply.contains(#""name":"shuttingDown""#) {
                self = .unknown
            } else if reply.contains(#""name":"storageUnreadable""#) {
                self = .unreadable
            } else {
                throw Failure("unexpected: \(reply.prefix(500))")
            }
        }
    }

    static func carryOut(_ request: String, _ client: RawClient) throws -> Result {
        guard try client.sendAsFarAsPossible(Array("\(request)\n".utf8)) > 0 else { return .unknown }
        return try Result(client.line())
    }

    /// Returns the daemon's state without epochs, which differ from run to run.
    static func state(_ client: RawClient) throws -> String {
        var state = ""
        for list in ["a", "b", "c", "d", "e"] {
            let reply = try client.reply(to: #"{"id":1,"method":"snapshot","params":{"list":"\#(list)"}}"#)
            state += reply.replacing(/"epoch":"[^"]*"/, with: "") + "\n"
        }
        let deleted = try client.reply(to: #"{"id":1,"method":"lists","params":{"deleted":true}}"#)
        state += deleted.replacing(/"(epoch|time|pid)":("[^"]*"|[0-9]+)/, with: "") + "\n"
        return state
    }

    /// Returns the states after each request of a daemon without faults, and the number of its storage calls of this kind.
    func reference(_ kind: StorageFault.Kind) throws -> (states: [String], calls: Int) {
        let directory = try ScratchDirectory()
        let (program, client) = try Daemon.startFailing(nil, kind: kind, in: directory)
        guard let client else { throw Failure("the daemon ended: \(program.complaints)") }
        var states = [try Self.state(client)]
        for request in requests {
            guard try Self.carryOut(request, client) == .done else { throw Failure("impossible: \(request)") }
            states.append(try Self.state(client))
        }
        program.signal(SIGTERM)
        _ = try program.wait()
        return (states, StorageFault.calls(in: directory).count)
    }
}
