import ArgumentParser
import Diffable
import DiffableProtocol
import Testing

@testable import diffablectl

/// What a command that answers for a list is given, and which line of its complaints counts.
@Suite struct HandlingTests {
    // MARK: The environment

    private func variables(_ content: HandlerRequest.Content, revision: Int? = 7) -> [String] {
        HandledCommand.variables(
            of: HandlerRequest(
                handler: 1, request: 2, list: "tasks", content: content, revision: revision,
                from: ClientIdentity(name: nil, processID: nil, userID: 1000)))
    }

    @Test func `a request is in the environment, and what it has not is not`() {
        #expect(
            variables(.perform("done", .items(["a b", "$(reboot)"]), arguments: Array(#"{"n":1}"#.utf8))) == [
                "DIFFABLE_LIST=tasks", "DIFFABLE_KIND=perform", "DIFFABLE_ACTION=done",
                "DIFFABLE_ITEMS=a b\n$(reboot)", #"DIFFABLE_ARGUMENTS={"n":1}"#, "DIFFABLE_REVISION=7",
                "DIFFABLE_UID=1000",
            ])
        #expect(
            variables(.perform("sort", .section("today"), arguments: nil), revision: nil) == [
                "DIFFABLE_LIST=tasks", "DIFFABLE_KIND=perform", "DIFFABLE_ACTION=sort", "DIFFABLE_SECTION=today",
                "DIFFABLE_UID=1000",
            ])
        #expect(
            variables(.expand("a=b"), revision: nil) == [
                "DIFFABLE_LIST=tasks", "DIFFABLE_KIND=expand", "DIFFABLE_ITEMS=a=b", "DIFFABLE_UID=1000",
            ])
        #expect(
            variables(.propose([], nil), revision: nil) == [
                "DIFFABLE_LIST=tasks", "DIFFABLE_KIND=propose", "DIFFABLE_UID=1000",
            ])
    }

    // MARK: The last line

    @Test(arguments: [
        ("", nil), ("\n \n", nil), ("no", "no"), ("no\n", "no"), ("first\nno\n\n  \n", "no"), ("a\r\nb\r\n", "b"),
        ("10%\r20%\rfailed", "failed"), ("café\n", "café"),
    ])
    func `the last line that is not empty counts`(text: String, expected: String?) {
        let bytes = Array(text.utf8)
        for cut in 0...bytes.count {
            var line = LastLine()
            line.append(bytes[..<cut])
            line.append(bytes[cut...])
            #expect(line.text == expected, "cut at \(cut)")
        }
    }

    @Test(arguments: [0, 1]) func `a line without an end is cut`(more: Int) {
        var line = LastLine()
        line.append([UInt8](repeating: UInt8(ascii: "x"), count: LastLine.lengthMax + more))
        #expect(line.text?.utf8.count == LastLine.lengthMax)
    }

    // MARK: The command line

    @Test(arguments: [
        ["perform", "tasks", "done", "--section", "s", "milk"], ["perform", "tasks", "done", "milk", "--where", "a=1"],
        ["perform", "tasks", "done", "a=1", "--arguments", "{}"], ["perform", "tasks", "done", "--arguments", "{"],
        ["perform", "tasks", "done", "--timeout", "11m"], ["perform", "tasks", "done", "--timeout", "0s"],
        ["perform", "tasks"], ["perform", "tasks", ""], ["handle", "tasks"], ["handle", "tasks", "--"],
        ["handle", "tasks", "--jobs", "0", "--", "true"], ["handle", "tasks", "--jobs", "65", "--", "true"],
        ["handle", "tasks", "--perform", "--action", "a", "--", "true"], ["transact", "tasks", "--timeout", "1s"],
        ["expand", "tasks", "a", "--timeout", "1s"], ["expand", "tasks", "a", "--ask", "--if-revision", "1"],
    ])
    func `what cannot be meant is refused`(arguments: [String]) {
        #expect(throws: (any Error).self) { try Diffablectl.parseAsRoot(arguments) }
    }

    @Test(arguments: [
        ["perform", "tasks", "done"], ["perform", "tasks", "done", "milk", "n:=1", "--timeout", "10m"],
        ["perform", "tasks", "done", "--item", "a=b", "milk"], ["perform", "tasks", "done", "--section", "s", "a=1"],
        ["handle", "tasks", "--", "true", "--replace"], ["handle", "tasks", "--jobs", "64", "--", "true"],
        ["handle", "tasks", "--perform", "--propose", "--expand", "--", "true"], ["transact", "tasks", "--propose"],
        ["expand", "tasks", "a", "b", "--ask", "--timeout", "1ms"],
    ])
    func `what can be meant is taken`(arguments: [String]) throws {
        _ = try Diffablectl.parseAsRoot(arguments)
    }
}

/// So many work at a time, and those that wait are next in order.
@Suite struct JobQueueTests {
    @Test func `those that wait are next in the order of their numbers`() async throws {
        let queue = JobQueue(width: 1)
        let (order, continuation) = AsyncStream.makeStream(of: Int.self)
        try await queue.run(0) {
            for number in [3, 1, 2] {
                Task { try await queue.run(number) { continuation.yield(number) } }
            }
            try await waiting(3, in: queue)
        }
        var iterator = order.makeAsyncIterator()
        var seen: [Int] = []
        while seen.count < 3, let number = await iterator.next() { seen.append(number) }
        #expect(seen == [1, 2, 3])
    }

    @Test func `a task that was cancelled does not begin, and leaves its place to others`() async throws {
        let queue = JobQueue(width: 1)
        try await queue.run(0) {
            let first = Task { try await queue.run(1) { Issue.record("it was cancelled") } }
            try await waiting(1, in: queue)
            first.cancel()
            await #expect(throws: CancellationError.self) { try await first.value }
        }
        try await queue.run(2) {}
    }

    @Test func `closing waits for what has begun, and nothing begins any more`() async throws {
        let queue = JobQueue(width: 2)
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let first = Task {
            try await queue.run(1) {
                for await _ in ends { return "done" }
                return "not told"
            }
        }
        while queue.numberWorking == 0 { await Task.yield() }
        let closing = Task { await queue.close() }
        while !queue.isClosed { await Task.yield() }
        await #expect(throws: CancellationError.self) { try await queue.run(2) {} }
        end.yield()
        #expect(try await first.value == "done")
        await closing.value
    }

    private func waiting(_ count: Int, in queue: JobQueue) async throws {
        while queue.numberWaiting < count { await Task.yield() }
    }
}
