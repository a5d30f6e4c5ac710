import DiffableProtocol
import Foundation
import Testing

extension Integration {
    /// The bytes and the CPU time that each method costs for each sent byte, with the worst input of each.
    @Suite struct AmplificationTests {
        /// The bound of a reply's length.
        private enum Bound {
            /// Bytes, independent of the daemon's state.
            case fixed(Int)
            /// Bytes for each list that the caller may read.
            case eachList(Int)
            /// Bytes for each kept change.
            case eachChange(Int)
            /// A multiple of the list's contents.
            case contents(Int)
            /// Bytes for each subscription and handler of the caller.
            case eachRegistration(Int)
        }

        private struct Row {
            var method: Method
            /// The tested requests, without their ids.
            var requests: [String]
            var bound: Bound
        }

        private static let (lists, items, changes, registrations) = (200, 20_000, 500, 200)
        private static let list = "big"
        private static let longName = String(repeating: "\\\"", count: 127)

        private static func of(_ method: String, _ parameters: String) -> String {
            #"{"id":1,"method":"\#(method)","params":{\#(parameters)}}"#
        }

        private static let rows: [Row] = {
            let named = #""list":"\#(list)""#
            let view = #""view":{"search":"a","sort":["/text"]}"#
            let ids = (0..<20_000).map { #""\#($0)""# }.joined(separator: ",")
            let deletion = #"{"op":"deleteItems","items":[\#(ids)]}"#
            let move = #"{"op":"moveItem","item":"0","after":"19999"}"#
            return [
                Row(method: .hello, requests: [#"{"id":1,"method":"hello"}"#], bound: .fixed(4_096)),
                Row(method: .restrict, requests: [of("restrict", #""methods":["ping"]"#)], bound: .fixed(256)),
                Row(method: .ping, requests: ["ping", #"{"id":1,"method":"ping"}"#], bound: .fixed(256)),
                Row(method: .help, requests: ["help"], bound: .fixed(16_384)),
                Row(method: .status, requests: ["status"], bound: .fixed(2_048)),
                Row(
                    method: .clients, requests: ["clients", of("clients", #""actions":false"#)],
                    bound: .eachRegistration(1_024)),
                Row(method: .reload, requests: ["reload"], bound: .fixed(4_096)),
                Row(method: .lists, requests: ["lists", of("lists", #""deleted":true"#)], bound: .eachList(1_024)),
                Row(
                    method: .followLists, requests: ["followLists", of("followLists", #""content":true"#)],
                    bound: .eachList(1_024)),
                Row(method: .createList, requests: [of("createList", named)], bound: .fixed(2_048)),
                Row(
                    method: .deleteList, requests: [of("deleteList", #"\#(named),"ifRevision":0"#)],
                    bound: .fixed(2_048)),
                Row(
                    method: .undeleteList, requests: [of("undeleteList", #""list":"\#(longName)""#)],
                    bound: .fixed(2_048)),
                Row(
                    method: .renameList, requests: [of("renameList", #""list":"\#(longName)","to":"x""#)],
                    bound: .fixed(2_048)),
                Row(
                    method: .mirror, requests: [of("mirror", #"\#(named),"live":true"#)], bound: .fixed(2_048)),
                Row(
                    method: .snapshot,
                    requests: [
                        "snapshot \(list)", of("snapshot", named), of("snapshot", "\(named),\(view)"),
                        of("snapshot", #"\#(named),"at":2"#),
                    ], bound: .contents(2)),
                Row(
                    method: .transact,
                    requests: [
                        of("transact", #"\#(named),"dryRun":true,"operations":[\#(deletion)]"#),
                        of("transact", #"\#(named),"dryRun":true,"operations":[\#(move)]"#),
                        of("transact", #"\#(named),"dryRun":true,"operations":[{"op":"deleteAllItems"}]"#),
                    ], bound: .contents(1)),
                Row(
                    method: .apply,
                    requests: [
                        of("apply", #"\#(named),"section":"s","dryRun":true,"snapshot":[]"#),
                        of("apply", #"\#(named),"section":"s","dryRun":true,"snapshot":[{"id":"19999"},{"id":"0"}]"#),
                    ], bound: .contents(1)),
                Row(
                    method: .perform, requests: [of("perform", #"\#(named),"action":"\#(longName)""#)],
                    bound: .fixed(2_048)),
                Row(
                    method: .propose,
                    requests: [of("propose", #"\#(named),"dryRun":true,"operations":[{"op":"deleteAllItems"}]"#)],
                    bound: .contents(1)),
                Row(method: .expand, requests: [of("expand", #"\#(named),"item":"0""#)], bound: .fixed(2_048)),
                Row(
                    method: .handle, requests: [of("handle", #"\#(named),"requests":["perform","propose"]"#)],
                    bound: .fixed(2_048)),
                Row(method: .unhandle, requests: [of("unhandle", #""handler":9999"#)], bound: .fixed(1_024)),
                Row(method: .answer, requests: [of("answer", #""request":9999"#)], bound: .fixed(1_024)),
                Row(
                    method: .subscribe,
                    requests: [
                        "subscribe \(list)", of("subscribe", #"\#(named),"once":true,\#(view)"#),
                        of("subscribe", #"\#(named),"once":true,"deliver":"snapshots""#),
                    ], bound: .contents(2)),
                Row(
                    method: .setView, requests: [of("setView", #""subscription":1,\#(view)"#)], bound: .contents(2)),
                Row(
                    method: .unsubscribe, requests: [of("unsubscribe", #""subscription":9999"#)], bound: .fixed(1_024)),
                Row(
                    method: .history, requests: ["history \(list)", of("history", named)], bound: .eachChange(1_024)),
                Row(
                    method: .difference,
                    requests: [
                        of("difference", #"\#(named),"from":0,"to":1"#),
                        of("difference", #"\#(named),"from":1,"to":2"#),
                    ],
                    bound: .contents(2)),
                Row(method: .undo, requests: [of("undo", #"\#(named),"dryRun":true"#)], bound: .contents(2)),
                Row(method: .redo, requests: [of("redo", #"\#(named),"dryRun":true"#)], bound: .contents(2)),
                Row(
                    method: .setAccess, requests: [of("setAccess", #"\#(named),"mode":"0600""#)], bound: .fixed(2_048)),
                Row(
                    method: .setSchemas, requests: [of("setSchemas", #"\#(named),"schemas":{"":5}"#)],
                    bound: .fixed(4_096)),
                Row(method: .schemas, requests: [of("schemas", named)], bound: .fixed(140_000)),
                Row(method: .backup, requests: ["backup"], bound: .contents(3)),
                Row(
                    method: .restore, requests: [of("restore", #""more":false"#)], bound: .fixed(2_048)),
                Row(method: .attach, requests: [of("attach", #""host":"a""#)], bound: .fixed(2_048)),
                Row(method: .replicate, requests: [of("replicate", #"\#(named),"epoch":"e""#)], bound: .fixed(2_048)),
                Row(method: .settle, requests: [of("settle", #""call":1,"outcome":"lost""#)], bound: .fixed(2_048)),
                Row(method: .hosts, requests: [of("hosts", #""hosts":["a"]"#)], bound: .fixed(2_048)),
                Row(method: .checkpoint, requests: [of("checkpoint", named)], bound: .fixed(2_048)),
            ]
        }()

        /// Returns a daemon with the largest state that makes replies long.
        private func laden() throws -> Daemon {
            let daemon = try Daemon(configured: "clients: everyone\n")
            let client = try daemon.connect()
            func ask(_ line: String) throws {
                let reply = try client.reply(to: line)
                guard reply.contains("result") else { throw Failure("\(line.prefix(200)): \(reply)") }
            }
            try ask(Self.of("createList", #""list":"\#(Self.list)","durability":"volatile""#))
            let items = (0..<Self.items).map { #"{"id":"\#($0)","content":{"text":"a\#($0)"}}"# }.joined(separator: ",")
            try ask(Self.of("apply", #""list":"\#(Self.list)","section":"s","snapshot":[\#(items)]"#))
            for number in 0..<Self.changes {
                let patch = #"{"op":"patchItems","items":[{"id":"\#(number)","content":{"text":"b"}}]}"#
                try ask(Self.of("transact", #""list":"\#(Self.list)","operations":[\#(patch)]"#))
            }
            let schema = #"{"description":"\#(String(repeating: "d", count: 120_000))"}"#
            try ask(Self.of("setSchemas", #""list":"\#(Self.list)","schemas":{"k":\#(schema)}"#))
            for number in 1..<Self.lists {
                let name = "\(number)" + String(repeating: "\\\"", count: 120)
                try ask(Self.of("createList", #""list":"\#(name)","durability":"volatile""#))
            }
            return daemon
        }

        @Test(.alone) func `a request costs no more bytes and no more time than its method's bound`() throws {
            #expect(Set(Self.rows.map(\.method)) == Set(Method.allCases), "each method has its worst input here")
            let daemon = try laden()
            // A user's registrations, which `lists` and `clients` can return.
            let handler = try daemon.connect()
            for number in 0..<Self.registrations / 2 {
                let actions = (0..<256).map { #""\#(number) \#($0) \#(String(repeating: "a", count: 230))""# }
                let reply = try handler.reply(
                    to: Self.of(
                        "handle",
                        #""list":"\#(Self.list)","requests":["perform"],"actions":[\#(actions.joined(separator: ","))]"#
                    ))
                #expect(reply.contains("result"), "\(reply)")
                let waiting = "\(number)" + String(repeating: "\\\"", count: 120)
                _ = try handler.reply(to: Self.of("subscribe", #""list":"\#(waiting) none","ifAbsent":"wait""#))
            }
            var table =
                "| method | request | bytes sent | bytes received | for each byte | CPU time | for each byte |\n"
            for row in Self.rows {
                for request in row.requests {
                    let (received, time) = try cost(of: request, row.method, daemon)
                    let sent = request.utf8.count + 1
                    #expect(received <= bytes(row.bound), "\(row.method): \(received) bytes for \(request.prefix(100))")
                    let timeMax = Self.timeMax(received + sent)
                    #expect(time <= timeMax, "\(row.method): \(time) for \(request.prefix(100))")
                    let microseconds = Double(time.components.attoseconds) / 1e12
                    table +=
                        "| `\(row.method.rawValue)` | \(sent < 60 ? request : String(request.prefix(40)) + "…") | \(sent) "
                        + "| \(received) | \(received / sent) | \(Int(microseconds)) µs | "
                        + "\(String(format: "%.1f", microseconds / Double(sent))) µs |\n"
                }
            }
            print(table)
            #expect(daemon.program.exitStatus() == nil)
        }

        private func bytes(_ bound: Bound) -> Int {
            switch bound {
            case .fixed(let length): length
            case .eachList(let length): 1_024 + Self.lists * length
            case .eachChange(let length): 1_024 + (Self.changes + 2) * length
            // An item here takes 40 bytes in a reply.
            case .contents(let times): 8_192 + times * Self.items * 60 + 140_000
            case .eachRegistration(let length): 8_192 + (Self.registrations + 10) * length
            }
        }

        /// The longest CPU time for a number of bytes: about five times the value measured on two cores.
        private static func timeMax(_ bytes: Int) -> Duration { .milliseconds(40) + .nanoseconds(400 * bytes) }

        /// Returns the bytes of all lines up to the reply to a `ping` that follows, and the daemon's CPU time: the least of
        /// three runs, or of more if that is too long, because other programs slow this one down.
        private func cost(of request: String, _ method: Method, _ daemon: Daemon) throws -> (bytes: Int, Duration) {
            var (most, least) = (0, Duration.seconds(100))
            for run in 0..<10 where run < 3 || least > Self.timeMax(most + request.utf8.count + 1) {
                let client = try daemon.connect()
                if method == .setView {
                    _ = try client.reply(
                        to: Self.of("subscribe", #""list":"\#(Self.list)","view":{"window":{"offset":0,"limit":1}}"#))
                    _ = try client.line()
                }
                let before = daemon.program.runningTime
                try client.send(request)
                try client.send(#"{"id":987654321,"method":"ping"}"#)
                var received = 0
                var isUpdated = method != .setView
                while let line = try client.line() {
                    if line.contains("987654321") { break }
                    received += line.utf8.count + 1
                    isUpdated = isUpdated || line.contains(#""method":"#)
                }
                // Updates of a subscription follow the replies; the first one of a view may take a while.
                while !isUpdated || !client.isSilent(forSeconds: 0.02), let line = try client.line() {
                    received += line.utf8.count + 1
                    isUpdated = true
                }
                least = min(least, daemon.program.runningTime - before)
                most = max(most, received)
            }
            return (most, least)
        }

        @Test func `lists names actions only if it is asked for them`() throws {
            let daemon = try Daemon()
            let client = try daemon.connect()
            _ = try client.reply(to: Self.of("createList", #""list":"a","durability":"volatile""#))
            let names = (0..<256).map { #""\#($0) \#(String(repeating: "x", count: 240))""# }.joined(separator: ",")
            _ = try client.reply(to: Self.of("handle", #""list":"a","requests":["perform"],"actions":[\#(names)]"#))
            for method in ["lists", "clients"] {
                #expect(try client.reply(to: method).utf8.count < 1_024)
                let reply = try client.reply(to: Self.of(method, #""actions":true"#))
                #expect(reply.utf8.count > 256 * 240 && reply.contains("255 x"))
            }
            #expect(
                try client.reply(to: Self.of("lists", #""actions":true,"deleted":true"#)).contains("not both"))
        }
    }
}

extension Program {
    /// The CPU time of all current threads.
    fileprivate var runningTime: Duration {
        let directory = "/proc/\(processID)/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return threads.reduce(.zero) { sum, thread in
            let text = (try? String(contentsOfFile: "\(directory)/\(thread)/schedstat", encoding: .utf8)) ?? ""
            return sum + .nanoseconds(Int(text.split(separator: " ").first ?? "0") ?? 0)
        }
    }
}
