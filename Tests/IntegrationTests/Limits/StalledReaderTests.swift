import Foundation
import TestSupport
import Testing

extension Integration {
    /// The memory of the states that slow clients keep.
    @Suite struct StalledReaderTests {
        private static let script = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "stalled_readers.py"
        ).path

        @Test(.alone, .withSeveralUsers)
        func `if slow clients keep too many states, the oldest get the whole list again, and nobody else notices`()
            throws
        {
            // Room for about two states of 400 KB.
            let daemon = try Daemon.forEverybody(configured: "registeredLengthMax: 1200000\n")
            let python = try PythonClient.interpreter
            let other = try Somebody.bob.start(
                python, ["-B", Self.script, "read", daemon.socket, "9"], in: daemon.directory)
            defer { other.end(with: SIGKILL) }
            let slow = try Somebody.alice.start(
                python, ["-B", Self.script, "stall", daemon.socket], in: daemon.directory)
            defer { slow.end(with: SIGKILL) }
            #expect(try slow.wait() == 0, "\(slow.complaints)")
            let updates = try JSONDecoder().decode([[String]].self, from: Data(slow.output.utf8))
            // Each got the first state. Then the oldest got the newest state, and the others a diff.
            #expect(updates.count == 7)
            #expect(updates.dropLast(2).allSatisfy { $0 == ["initial", "history"] }, "\(updates)")
            // The newest state takes room, too, so the sixth client may have lost its state.
            #expect(updates.last?.first == "initial", "\(updates)")
            #expect(updates.last?.dropFirst().allSatisfy { $0 == "" } == true, "\(updates)")
            #expect(try other.wait() == 0, "\(other.complaints)")
            let read = try JSONDecoder().decode([String].self, from: Data(other.output.utf8))
            #expect(read.dropFirst().allSatisfy { $0 == "" }, "\(read)")
        }
    }
}
