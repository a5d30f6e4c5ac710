import DiffableServer
import Foundation
import TestSupport
import Testing

extension Integration {
    /// Long changes, which are processed in the background, look the same to a client as short ones.
    struct LongChangeTests {
        /// Lines of one client, sent in one write.
        private struct Script {
            var random: SplitMix64
            var lines: [String] = []
            private var lastItem = 0

            init(seed: UInt64) {
                random = SplitMix64(seed: seed)
                add("createList", #""list":"rows","durability":"volatile""#)
                add("transact", #""list":"rows","operations":[{"op":"appendSections","sections":[{"id":"s"}]}]"#)
            }

            private mutating func add(_ method: String, _ parameters: String) {
                lines.append(#"{"id":\#(lines.count),"method":"\#(method)","params":{\#(parameters)}}"#)
            }

            private mutating func items(_ count: Int) -> String {
                (0..<count).map { _ in
                    lastItem += 1
                    // Sometimes an existing id.
                    let number = Int.random(in: 0..<60, using: &random) == 0 ? max(1, lastItem - 20) : lastItem
                    return #"{"id":"\#(number)","content":{"n":\#(lastItem)}}"#
                }.joined(separator: ",")
            }

            mutating func addRandom() {
                let list = #""list":"rows""#
                let append = #"{"op":"appendItems","section":"s","items":["#
                switch Int.random(in: 0..<12, using: &random) {
                case 0, 1: add("transact", #"\#(list),"operations":[\#(append)\#(items(1))]}]"#)
                case 2, 3: add("transact", #"\#(list),"operations":[\#(append)\#(items(40))]}]"#)
                case 4:
                    let section = #"{"op":"appendSections","sections":[{"id":"s"}]}"#
                    add("apply", #"\#(list),"operations":[\#(section),\#(append)\#(items(20))]}],"more":true"#)
                    add("apply", #"\#(list),"operations":[\#(append)\#(items(20))]}],"more":false"#)
                case 5: add("apply", #"\#(list),"snapshot":{"sections":[{"id":"s","items":[\#(items(30))]}]}"#)
                case 6:
                    add("transact", #"\#(list),"dryRun":true,"operations":[{"op":"deleteAllItems"}]"#)
                case 7: add("snapshot", list)
                case 8: add("undo", list)
                case 9:
                    let revision = Int.random(in: 0..<8, using: &random)
                    add("transact", #"\#(list),"ifRevision":\#(revision),"operations":[\#(append)\#(items(2))]}]"#)
                case 10:
                    // Twice with one key.
                    let key = #""requestKey":"k\#(lines.count)""#
                    let operations = #"[\#(append)\#(items(30))]}]"#
                    for _ in 0..<2 { add("transact", #"\#(list),\#(key),"operations":\#(operations)"#) }
                default: add("ping", "")
                }
            }
        }

        private func epochless(_ text: String) -> String {
            text.replacing(/"epoch":"[^"]*"/, with: #""epoch":"""#)
        }

        @Test func `in the middle of others are answered in their order, as if they were short`() throws {
            let (beside, at) = (try TestServer(turn: .none), try TestServer())
            var random = SplitMix64()
            for _ in 0..<8 {
                let seed = random.next()
                var script = Script(seed: seed)
                for _ in 0..<25 { script.addRandom() }
                let answers = try [beside, at].map { server in
                    let client = try server.connect()
                    try client.send(script.lines.joined(separator: "\n"))
                    client.finishSending()
                    var answers: [String] = []
                    while let line = try client.line() { answers.append(epochless(line)) }
                    try server.succeed("delete", "rows", "--force")
                    return answers
                }
                #expect(answers[0] == answers[1], "seed \(seed)")
                #expect(answers[0].count == script.lines.count, "seed \(seed)")
            }
        }

        @Test func `are carried out for a client that has gone, with all that it sent`() throws {
            let (beside, at) = (try TestServer(turn: .none), try TestServer())
            var random = SplitMix64()
            for _ in 0..<4 {
                let seed = random.next()
                var script = Script(seed: seed)
                for _ in 0..<20 { script.addRandom() }
                script.lines.append(#"{"method":"createList","params":{"list":"end"}}"#)
                let texts = try [beside, at].map { server in
                    let client = try server.connect()
                    try client.send(script.lines.joined(separator: "\n"))
                    try client.waitUntilTaken()
                    client.close()
                    let other = try server.connect()
                    try eventually("end of what it sent") {
                        try other.reply(to: #"{"id":1,"method":"snapshot","params":{"list":"end"}}"#).contains("result")
                            ? () : nil
                    }
                    let text = try other.reply(to: #"{"id":1,"method":"snapshot","params":{"list":"rows"}}"#)
                    try server.succeed("delete", "rows", "--force")
                    try server.succeed("delete", "end")
                    return epochless(text)
                }
                #expect(texts[0] == texts[1], "seed \(seed)")
            }
        }
    }
}
