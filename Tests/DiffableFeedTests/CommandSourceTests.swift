import Diffable
import DiffableInput
import Foundation
import TestSupport
import Testing

@testable import DiffableFeed

/// Tests with real commands.
@Suite struct CommandSourceTests {
    private func source(
        _ line: String, bash: String = "/bin/bash", patience: Duration = .zero,
        _ change: (inout CommandSettings) -> Void = { _ in }
    ) -> CommandSource {
        var settings = CommandSettings(line: line, bash: bash)
        change(&settings)
        return CommandSource(
            settings, RowMapping(), complete: { content, _ in content }, environment: ["PATH=/usr/bin:/bin"],
            patience: patience)
    }

    private func failure(of source: CommandSource) async throws -> String {
        let states = Collected()
        do {
            try await source.run { states.append($0) }
        } catch {
            #expect(states.values.isEmpty)
            return "\(error)"
        }
        Issue.record("it did not fail")
        return ""
    }

    @Test func `the output of a command that ends with status 0 is the state`() async throws {
        let states = Collected()
        try await source("echo a; echo b").run { states.append($0) }
        guard case .snapshot(let state)? = states.values.first else {
            Issue.record("no state")
            return
        }
        #expect(state.numberOfItems == 2 && states.values.count == 1)
    }

    @Test func `the last complaint stays as the command wrote it, and advice about rows names keys`() async throws {
        func failure(_ line: String) async throws -> any Error {
            do { try await source(line).run { _ in } } catch { return error }
            throw FeedError("it did not fail")
        }
        let complaint = try await failure("echo 'tool: unknown option --id' >&2; exit 2")
        #expect(SettingNames.keys.text(of: complaint).hasSuffix("tool: unknown option --id"))
        let advice = try await failure("echo null")
        #expect(SettingNames.keys.text(of: advice).hasSuffix("or from: lines if each line is an item"), "\(advice)")
    }

    @Test func `of repeated lines, those that stay keep their items`() async throws {
        let file = NSTemporaryDirectory() + "log-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: file) }
        let yaml = """
            - list: log
              command: [tail, -n, "3", "\(file)"]
              every: 2s
              from: lines
              id: hash
            """
        let feed = try #require(try FeedFile(yaml: yaml, home: nil).feeds.first)
        let source = feed.makeSource(environment: ["PATH=/usr/bin:/bin"], watcher: FileWatcher()) { _ in }
        let states = Collected()
        for text in ["start\nretry\nretry\n", "start\nretry\nretry\n\tdone \u{1B}[0m\n"] {
            try text.write(toFile: file, atomically: true, encoding: .utf8)
            try await source.run { states.append($0) }
        }
        let lists = states.values.compactMap { if case .snapshot(let list) = $0 { list } else { nil } }
        #expect(lists.map(\.numberOfItems) == [3, 3])
        #expect(lists[1].itemIdentifiers.prefix(2) == lists[0].itemIdentifiers.suffix(2))
        #expect(lists[1].difference(from: lists[0]).count == 2)
    }

    @Test func `half an output does not count`() async throws {
        let message = try await failure(of: source("echo a; echo oh no >&2; exit 3"))
        #expect(message.contains("ended with status 3: oh no"))
        #expect(try await failure(of: source("echo a; kill -9 $$")).contains("signal 9"))
    }

    @Test func `a pipe fails when any of its programs fails, and not when a reader needs no more`() async throws {
        #expect(try await failure(of: source("(echo no network >&2; exit 6) | cat")).contains("status 6: no network"))
        let states = Collected()
        try await source("yes | head -n 1").run { states.append($0) }
        #expect(states.values.count == 1)
        // Without bash, the option is off.
        try await source("echo a | cat", bash: "/nowhere").run { states.append($0) }
        try await source("set +o pipefail; false | echo a").run { states.append($0) }
        #expect(states.values.count == 3)
    }

    @Test func `what cannot be run or read is said`() async throws {
        let none = CommandSource(
            CommandSettings(words: ["/nowhere/x"]), RowMapping(), complete: { content, _ in content }, environment: [])
        #expect(try await failure(of: none).contains("/nowhere/x cannot be run"))
        #expect(try await failure(of: source("printf '\\377'")).contains("not valid UTF-8"))
        #expect(try await failure(of: source(#"echo '[{"id":"a"},{"id":"a"}]'"#)).contains("has the id"))
    }

    @Test func `one that hangs is ended with all that it started`() async throws {
        let file = "/tmp/diffable-feed-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: file) }
        var (tenths, child) = (3, pid_t?.none)
        // On a busy machine, the `mv` may take longer.
        while child == nil && tenths < 2_000 {
            let line = "sleep 1000 & echo $! > \(file).part; mv \(file).part \(file); wait"
            let message = try await failure(of: source(line) { $0.timeout = .milliseconds(tenths * 100) })
            #expect(message.contains(tenths == 3 ? "ran longer than 0.3 s" : "ran longer than"))
            child = (try? String(contentsOfFile: file, encoding: .utf8)).flatMap { text in
                pid_t(text.trimmingCharacters(in: .newlines))
            }
            tenths *= 5
        }
        let pid = try #require(child)
        #expect(eventually { !isRunning(pid) })
    }

    /// The process in the background holds the pipe, and would run during the next run.
    @Test func `what it leaves behind is ended when it has ended`() async throws {
        let states = Collected()
        try await source("sleep 1000 & echo $!").run { states.append($0) }
        guard case .snapshot(let state)? = states.values.first, let id = state.itemIdentifiers.first else {
            Issue.record("no state")
            return
        }
        let child = try #require(pid_t("\(id)"))
        #expect(eventually { !isRunning(child) })
    }

    @Test func `one that is cancelled ends with its group`() async throws {
        let file = "/tmp/diffable-feed-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: file) }
        let line = "sleep 1000 & echo $! > \(file).part; mv \(file).part \(file); wait"
        let source = source(line) { $0.stream = .states }
        let run = Task { try await source.run { _ in } }
        #expect(try await eventuallyInTask { FileManager.default.fileExists(atPath: file) })
        run.cancel()
        _ = await run.result
        let child = try #require(pid_t(String(contentsOfFile: file, encoding: .utf8).trimmingCharacters(in: .newlines)))
        #expect(eventually { !isRunning(child) })
    }

    @Test func `a stream brings states while it runs, and its end is a failure`() async throws {
        let states = Collected()
        let source = source(#"echo '[{"id":"a"}]'; sleep 0.01; echo '[{"id":"b"}]'"#) { $0.stream = .states }
        await #expect(throws: FeedError.self) { try await source.run { states.append($0) } }
        #expect((1...2).contains(states.values.count))
    }

    private func isRunning(_ process: pid_t) -> Bool {
        let state = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ") Z"
        return !state.contains(") Z")
    }

    @Test(arguments: [CommandSettings.Stream.ndjson, .states])
    func `a line is as long as the limit, and no longer`(stream: CommandSettings.Stream) throws {
        let row = #"{"id":"a"}"#
        let line = Array((stream == .ndjson ? row : "[\(row)]").utf8)
        for max in [line.count, line.count - 1] {
            // A whole line, a line in two parts, and a line without an end.
            for (cut, end) in [(0, "\n"), (5, "\n"), (5, "")] {
                let states = Collected()
                let lines = StreamedLines(stream, RowMapping(), named: "it", lineLengthMax: max) { states.append($0) }
                lines.append(Array("\n".utf8))
                lines.append(Array(line[..<cut]))
                lines.append(Array(line[cut...]) + Array(end.utf8))
                let isTooLong = max < line.count
                #expect(states.values.isEmpty == (isTooLong || end.isEmpty))
                #expect(lines.broken.takeSignal() == isTooLong)
                guard isTooLong else {
                    try lines.end()
                    continue
                }
                #expect { try lines.end() } throws: {
                    "\($0)".hasPrefix("it: line 2 is longer than \(max) bytes (sourceLengthMax); ")
                }
            }
        }
    }

    /// Otherwise the list would stay the same without an error.
    @Test(arguments: [CommandSettings.Stream.ndjson, .states])
    func `a stream that brings nothing after a line that cannot be read is ended, and the line is named`(
        stream: CommandSettings.Stream
    ) async throws {
        let (states, first) = (Collected(), stream == .ndjson ? #"{"id":"a"}"# : #"[{"id":"a"}]"#)
        // If several states arrive at once, only the last one counts.
        let taken = NSTemporaryDirectory() + "taken-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: taken) }
        let wait = "until [ -e '\(taken)' ]; do sleep 0.01; done"
        let source = source("echo '\(first)'; \(wait); echo; echo junk; exec sleep 1000") { $0.stream = stream }
        let format = stream == .ndjson ? "ndjson" : "json"
        await #expect {
            try await source.run {
                if case .failure = $0 { return }
                states.append($0)
                _ = FileManager.default.createFile(atPath: taken, contents: nil)
            }
        } throws: {
            "\($0)".hasPrefix("the output of the shell command, read as \(format): line 3: ")
                && !"\($0)".contains("line 1")
        }
        #expect(states.values.count == 1)
    }

    @Test(arguments: [CommandSettings.Stream.ndjson, .states])
    func `a line that cannot be read is left out, and told until there is another`(stream: CommandSettings.Stream)
        throws
    {
        let states = Collected()
        let lines = StreamedLines(stream, RowMapping(), named: "it") { states.append($0) }
        func line(_ id: String) -> String {
            let row = #"{"id":"\#(id)"}"#
            return stream == .ndjson ? row : "[\(row)]"
        }
        lines.append(Array("\(line("a"))\n{\"id\":\"Say \"Hi\"\"}\n".utf8))
        #expect(lines.broken.takeSignal())
        #expect { try lines.end() } throws: { "\($0)".contains("line 2") }
        lines.append(Array("\n\(line("b"))\n".utf8))
        #expect(throws: Never.self) { try lines.end() }
        let found = states.values.map { state in
            switch state {
            case .whole(.whole(let list)): list.sections.flatMap(\.items).map { "\($0.id)" }.joined()
            case .change(.merge(.items(let items))): items.map { "\($0.id)" }.joined()
            case .change(.merge(.whole(let list))): list.sections.flatMap(\.items).map { "\($0.id)" }.joined()
            case .failure(let error): error.description.contains("line 2") ? "failure" : error.description
            default: "\(state)"
            }
        }
        #expect(found == ["a", "failure", "b"])
    }
}
