import Foundation
import Testing

extension Integration {
    /// The daemon's information on itself and its clients.
    struct StatusTests {
        private let daemon: Daemon

        init() throws {
            daemon = try Daemon()
            try daemon.succeed("apply", "tasks", "--create", "-q", input: "milk\nbread\n")
        }

        @Test func `status counts lists, items, clients, transactions, lines and bytes`() throws {
            let subscriber = try daemon.connect()
            try subscriber.send("subscribe tasks")
            _ = try subscriber.lines(until: #""method":"reset""#)
            let client = try daemon.connect()
            _ = try client.reply(to: "snapshot nothing")
            // The clients that prepared this may be about to leave.
            let status = try eventually("two connections") {
                let status = try client.reply(to: "status")
                return status.contains(#""connections":2,"#) ? status : nil
            }
            let expected = [
                #""pid":\#(daemon.program.processID),"#, #""connections":2,"subscriptions":1,"lists":1,"items":2,"#,
                #""transactions":2,"groups":2,"#, #""refusals":1,"deliveries":1,"#, #""storage":"working"}"#,
            ]
            // Other hosts are only mentioned if a list involves one.
            #expect(!status.contains("sharedLists") && !status.contains("notLive"))
            for part in expected { #expect(status.contains(part), "\(part) in \(status)") }
            for number in ["requests", "bytesReceived", "bytesSent"] {
                let match = try #require(status.firstMatch(of: try Regex("\"\(number)\":([0-9]+)")))
                #expect(Int(match[1].substring ?? "") ?? 0 > 3, "\(number) in \(status)")
            }
            let shown = try daemon.succeed("status")
            #expect(shown.contains("pid: \(daemon.program.processID)\n") && shown.contains("items: 2\n"))
        }

        @Test func `a parser of Prometheus reads what status --prometheus writes`() throws {
            let text = try daemon.succeed("status", "--prometheus", "--list", "tasks", "--list", "none")
            #expect(text.contains("\n# TYPE diffabled_transactions_total counter\ndiffabled_transactions_total 2\n"))
            #expect(text.contains("\ndiffabled_storage_state{state=\"working\"} 1\n"))
            // Every sample is below its HELP and its TYPE, and the text has no other lines.
            var announced: [Substring] = []
            for line in text.split(separator: "\n") {
                let words = line.split(separator: " ", maxSplits: 3)
                if line.hasPrefix("# HELP ") {
                    announced = [words[2]]
                    #expect(words.count == 4)
                } else if line.hasPrefix("# TYPE ") {
                    #expect(announced == [words[2]])
                    #expect((words[3] == "counter") == words[2].hasSuffix("_total"))
                } else {
                    let match = try #require(line.wholeMatch(of: #/([a-z_]+)(\{[a-z]+="[^"]*"\})? [0-9.]+/#), "\(line)")
                    #expect(announced == [match.1])
                }
            }
            let file = try daemon.directory.write(text, to: "metrics")
            let script = """
                import sys
                try: from prometheus_client.parser import text_string_to_metric_families as parse
                except ImportError: sys.exit(77)
                families = list(parse(open(sys.argv[1]).read()))
                assert all(family.documentation and family.samples for family in families), families
                print(sum(len(family.samples) for family in families))
                """
            let parser = try Program("/usr/bin/python3", ["-c", script, file], in: daemon.directory)
            switch try parser.wait() {
            case 77: print("skipped: python3-prometheus-client is not here to read it")
            case 0:
                let samples = text.split(separator: "\n").count { !$0.hasPrefix("#") }
                #expect(parser.output == "\(samples)\n")
            default: Issue.record("\(parser.complaints)")
            }
            // Prometheus's own tool, which also checks conventions for names.
            guard Binaries.areInstalled("promtool") else { return }
            let check = try Program("/usr/bin/promtool", ["check", "metrics"], input: file, in: daemon.directory)
            #expect(try check.wait() == 0, "\(check.complaints)")
            #expect(check.complaints == "")
        }

        @Test func `Prometheus gets the feeds by state, the daemon's memory, and the lists that are named`() throws {
            let other = try daemon.succeed("status", "--prometheus")
            #expect(!other.contains("diffabled_feeds") && !other.contains("diffabled_list_"))
            let feeds = try daemon.startFeeds(
                """
                - {list: a, command: [echo, x], every: 1h, from: lines}
                - {list: b, command: [echo, x], every: 1h, from: lines}
                - {list: c, command: ["false"], every: 1h}
                """)
            for (feed, state) in [("a", "fed"), ("b", "fed"), ("c", "failing")] {
                _ = try daemon.waitForStatus(state, of: feed) { $0.state == state }
            }
            let text = try daemon.succeed("status", "--prometheus", "--list", "tasks", "--list", "none")
            for sample in [
                #"feeds{state="fed"} 2"#, #"feeds{state="failing"} 1"#, #"feeds{state="paused"} 0"#,
                #"list_exists{list="tasks"} 1"#, #"list_exists{list="none"} 0"#, #"list_items{list="tasks"} 2"#,
                #"list_revision{list="tasks"} 1"#,
            ] {
                #expect(text.contains("\ndiffabled_\(sample)\n"), "\(sample) in \(text)")
            }
            #expect(!text.contains(#"list_items{list="none"}"#))
            let memory = try #require(text.firstMatch(of: #/\ndiffabled_resident_memory_bytes ([0-9]+)\n/#))
            #expect((1_000_000...2_000_000_000).contains(Int(memory.1) ?? 0))
            let elsewhere = try daemon.succeed("status", "--prometheus", "--feeds", "tasks")
            #expect(!elsewhere.contains("diffabled_feeds"))
            feeds.end(with: SIGTERM)
            let wrong = try daemon.companion("status", "--list", "tasks")
            #expect(wrong.status == 2)
        }

        @Test func `clients tells who follows what and how far behind they are`() throws {
            let bar = try daemon.connect()
            try bar.send(#"{"method":"hello","params":{"name":"bar"}}"#)
            try bar.send(#"{"id":1,"method":"subscribe","params":{"list":"tasks","minInterval":3600000}}"#)
            _ = try bar.lines(until: #""method":"reset""#)
            let prompt = try daemon.connect()
            try prompt.send("subscribe tasks")
            _ = try prompt.lines(until: #""method":"reset""#)
            for item in 1...3 { try daemon.succeed("append", "tasks", "more \(item)", "-q") }
            _ = try prompt.lines(until: #""revision":4"#)
            let rows = try eventually("two clients, and the one that asks") {
                let rows = try daemon.succeed("clients").split(separator: "\n").map {
                    $0.split(separator: " ", omittingEmptySubsequences: true)
                }
                return rows.count == 4 ? rows : nil
            }
            #expect(rows[0] == ["NAME", "USER", "PID", "CONNECTED", "REQUESTS", "BEHIND", "PENDING", "LISTS"])
            let pid = "\(getpid())"
            let user = geteuid() == 0 ? "root" : NSUserName()
            #expect(rows[1].prefix(3) == ["bar", Substring(user), Substring(pid)])
            #expect(rows[1].suffix(4) == ["2", "3", "0", "tasks"], "\(rows[1])")
            #expect(rows[2].prefix(3) == ["-", Substring(user), Substring(pid)])
            #expect(rows[2].suffix(4) == ["1", "0", "0", "tasks"], "\(rows[2])")
            #expect(rows[3].first == "diffablectl")
            let json = try daemon.succeed("clients", "--json")
            #expect(
                json.contains(
                    #""subscriptions":[{"subscription":1,"list":"tasks","behind":3,"deliveries":1,"bytesSent":"#))
        }

        @Test func `what a client does not read is pending`() throws {
            try daemon.succeed("create", "big", "--volatile")
            let text = String(repeating: "x", count: 30_000)
            let items = (1...100).map { #"{"id":"\#($0)","content":"\#(text)"}"# }.joined(separator: "\n")
            try daemon.succeed("apply", "big", "--from", "ndjson", "-q", input: items)
            let stalled = try daemon.connect()
            try stalled.send("snapshot big")
            let pending = try eventually("pending bytes") {
                try daemon.succeed("clients", "--json").firstMatch(of: #/"pendingBytes":([1-9][0-9]*)/#).flatMap {
                    Int($0.1)
                }
            }
            #expect(pending > 1_000)
            _ = try stalled.line()
        }

        @Test(.withSeveralUsers)
        func `others see only their own user's connections`() throws {
            let bar = try daemon.connect()
            _ = try bar.reply(to: "ping")
            chmod(daemon.directory.path, 0o755)
            let others = try daemon.replies(to: .alice, ["clients"]).joined()
            #expect(others.contains("\"uid\":\(Somebody.alice.userID)") && !others.contains(#""uid":0"#), "\(others)")
            let everybody = try bar.reply(to: "clients")
            #expect(everybody.contains(#""uid":0"#))
        }

        @Test func `top tells the rates of lists and clients`() throws {
            let subscriber = try daemon.connect()
            try subscriber.send("subscribe tasks")
            _ = try subscriber.lines(until: #""method":"reset""#)
            let writer = try daemon.connect()
            _ = try writer.reply(to: "ping")
            var item = 0
            // This thread may not have run between its two reads.
            try eventually("rates of all that happens") {
                let top = try daemon.startCompanion(["top", "--json", "--interval", "1.5"])
                while top.exitStatus() == nil {
                    item += 1
                    _ = try writer.reply(
                        to: #"{"id":1,"method":"transact","params":{"list":"tasks","operations":[{"op":"appendItems","#
                            + #""items":[{"id":"n\#(item)"}]}]}}"#)
                    // The subscriber reads, so each of them is sent.
                    _ = try subscriber.lines(until: #"{"id":"n\#(item)"}"#)
                    usleep(20_000)
                }
                #expect(try top.wait() == 0)
                let line = top.output
                let list = #""lists":[{"list":"tasks","subscriptions":1,"transactionsPerSecond":"#
                #expect(line.contains(list), "\(line)")
                return try ["transactions", "deliveries", "bytes", "requests"].allSatisfy { rate in
                    line.contains(try Regex("\"\(rate)PerSecond\":(?!0\\.0[,}])[0-9]+\\.[0-9]+"))
                } ? () : nil
            }
            let shown = try daemon.succeed("top", "--once", "--interval", "0.1")
            #expect(shown.contains("1 list, ") && shown.contains("\nLIST   SUBSCRIPTIONS  TRANSACTIONS/s"), "\(shown)")
            #expect(shown.contains("\ntasks"))
        }

        @Test func `refused requests are logged with who and why, and not without end`() throws {
            let client = try daemon.connect()
            _ = try client.reply(to: #"{"id":1,"method":"hello","params":{"name":"bar"}}"#)
            let start = ContinuousClock.now
            for _ in 1...500 { _ = try client.reply(to: "snapshot nothing") }
            usleep(1_200_000)
            _ = try client.reply(to: "deleteList nowhere")
            let log = try eventually("log") {
                let log = daemon.program.complaints
                return log.contains("list=nowhere") ? log : nil
            }
            let lines = log.split(separator: "\n").filter { $0.contains("refused: ") }
            // Ten at once and one a second; each reports the number of suppressed lines before it.
            let linesMax = 11 + Int(start.duration(to: .now) / .seconds(1))
            #expect(lines.count > 1 && lines.count <= linesMax, "\(lines.count)")
            let leftOut = lines.map { $0.firstMatch(of: #/leftOut=([0-9]+)/#).flatMap { Int($0.1) } ?? 0 }
            #expect(lines.count + leftOut.reduce(0, +) == 501, "\(lines)")
            #expect(
                lines[0].contains(
                    "client=bar error=noSuchList list=nothing peerPID=\(getpid()) peerUID=\(geteuid()) request=snapshot"
                ),
                "\(lines[0])")
        }

        @Test func `the loop of a daemon with nothing to do sleeps`() throws {
            let client = try daemon.connect()
            try client.send("subscribe tasks")
            _ = try client.lines(until: #""method":"reset""#)
            var before = try wakeups()
            // Work scheduled after the last change is done after a few seconds.
            for _ in 1...24 {
                usleep(2_500_000)
                let now = try wakeups()
                if now == before { return }
                before = now
            }
            Issue.record("the loop wakes up again and again")
        }

        /// Counts how often the loop's threads went to sleep. (libdispatch's own thread wakes up once a second.)
        private func wakeups() throws -> [String: Int] {
            let directory = "/proc/\(daemon.program.processID)/task"
            var wakeups: [String: Int] = [:]
            for thread in try FileManager.default.contentsOfDirectory(atPath: directory) {
                let name = try? String(contentsOfFile: "\(directory)/\(thread)/comm", encoding: .utf8)
                // A thread that has ended since does not count.
                guard name?.hasPrefix("NIO-ELT") == true,
                    let status = try? String(contentsOfFile: "\(directory)/\(thread)/status", encoding: .utf8),
                    let line = status.split(separator: "\n").first(where: { $0.hasPrefix("voluntary_ctxt_switches") })
                else { continue }
                wakeups[thread] = line.split(separator: "\t").last.flatMap { Int($0) }
            }
            #expect(wakeups.count == 1)
            return wakeups
        }
    }
}
