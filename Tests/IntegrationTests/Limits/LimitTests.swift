import DiffableServer
import Foundation
import Testing

extension Integration {
    /// Every limit of the configuration, at its value and one above. A new limit without a trial here fails.
    struct LimitTests {
        @Test(arguments: Limit.allCases, LimitTrial.Begin.allCases)
        func `each limit holds where the configuration says`(limit: Limit, begin: LimitTrial.Begin) throws {
            let trial = try #require(LimitTrial.all[limit], "\(limit) has no trial")
            try trial.carryOut(limit, from: begin)
        }
    }
}

/// The check of a limit.
struct LimitTrial {
    /// The value of the limit.
    var max: Int
    /// Other settings that the check needs, as lines.
    var settings = ""
    var sort: Sort

    enum Sort {
        /// Makes a request of this size, and returns the answer: a result up to the limit, and `tooLarge` above. It is called
        /// for the limit, and then for one more.
        case refuses((Bench) throws -> (Int) throws -> String)
        /// Checks another effect than an error.
        case other((Bench) throws -> Void)
    }

    /// The time at which the daemon gets the limit.
    enum Begin: CaseIterable {
        case start
        /// The client was connected before.
        case reload
    }

    /// A daemon with the limit, a client, and a volatile list with a section.
    struct Bench {
        let daemon: Daemon
        let client: RawClient
        let max: Int
    }

    func carryOut(_ limit: Limit, from begin: Begin) throws {
        let bench = try bench("\(limit): \(max)\n\(settings)\n", from: begin)
        switch sort {
        case .other(let check): try check(bench)
        case .refuses(let prepare):
            let ask = try prepare(bench)
            let good = try ask(max)
            #expect(!good.contains(#""error""#) && good.contains(#""result""#), "\(good)")
            let bad = try ask(max + 1)
            #expect(bad.contains(#""name":"tooLarge""#) && bad.contains(#""limit":"\#(limit)","max":\#(max)"#))
            let message = bad.components(separatedBy: #""data""#)[0]
            #expect(message.contains(limit.rawValue) && message.contains("\(max)"), "\(bad)")
        }
        #expect(bench.daemon.program.exitStatus() == nil)
    }

    private func bench(_ configuration: String, from begin: Begin) throws -> Bench {
        let daemon = try Daemon(configured: begin == .start ? configuration : "")
        var client = try daemon.connect()
        if begin == .reload {
            _ = try client.reply(to: "ping")
            try daemon.configure(configuration)
            let reloaded = try client.reply(to: "reload")
            guard reloaded.contains(#""applied":[""#) else { throw Failure(reloaded) }
        }
        let creation = #"{"id":1,"method":"createList","params":{"list":"list","durability":"volatile"}}"#
        // On a busy machine a client may be silent for longer than `silentAgeMax`.
        let created = try eventually("a client that is heard in time") {
            if let reply = try? client.reply(to: creation), !reply.contains("silentAgeMax") { return reply }
            client = try daemon.connect()
            return nil
        }
        guard created.contains("result") else { throw Failure(created) }
        _ = try client.reply(to: LimitTrial.transact(#"{"op":"appendSections","sections":[{"id":"s"}]}"#))
        return Bench(daemon: daemon, client: client, max: max)
    }

    static func transact(_ operations: String..., members: String = "") -> String {
        #"{"id":1,"method":"transact","params":{"list":"list","operations":["#
            + operations.joined(separator: ",") + "]\(members)}}"
    }

    static func setSchemas(_ schemas: String) -> String {
        #"{"id":1,"method":"setSchemas","params":{"list":"list","schemas":\#(schemas)}}"#
    }

    static func append(_ item: String) -> String { #"{"op":"appendItems","items":[\#(item)]}"# }

    /// Returns the request padded to a length in bytes.
    static func padded(_ request: String, to length: Int) -> String {
        String(request.dropLast()) + String(repeating: " ", count: length - request.utf8.count) + "}"
    }
}
