import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

extension Integration {
    /// The daemon is killed repeatedly while it is working.
    struct KillCycleTests {
        /// `DIFFABLED_KILLS=300 swift test --filter KillCycleTests` for more.
        private static let cycles =
            ProcessInfo.processInfo.environment["DIFFABLED_KILLS"].flatMap { Int($0) }
            ?? (Sweep.isSoak ? 300 : 12)

        @Test func `nothing that four writers were promised is lost, comes twice or by halves`() throws {
            let seed = UInt64.random(in: 0...UInt64.max)
            print("\(Self.cycles) kills, seed \(seed)")
            var generator = SplitMix64(seed: seed)
            let daemon = try Daemon()
            var writers = try (0..<4).map { try KilledWriter(number: $0, generation: 0, daemon) }
            var acknowledged = 0
            for cycle in 1...Self.cycles {
                // Short lists are read quickly, and deleted ones not at all.
                if cycle % 20 == 0 {
                    for writer in writers { try writer.leave(daemon) }
                    writers = try (0..<4).map { try KilledWriter(number: $0, generation: cycle, daemon) }
                }
                let socket = daemon.socket
                let enough = acknowledged + Int.random(in: 1...200, using: &generator)
                // Threads of their own, so that all run at once, even on few cores.
                let ended = DispatchGroup()
                for writer in writers {
                    ended.enter()
                    Thread {
                        if let client = try? RawClient(connectingTo: socket) { writer.write(through: client) }
                        ended.leave()
                    }.start()
                }
                _ = try eventually("acknowledgements") {
                    acknowledged + writers.reduce(0) { $0 + $1.acknowledgedNow } >= enough ? true : nil
                }
                kill(daemon.program.processID, SIGKILL)
                ended.wait()
                _ = try daemon.program.wait()
                try daemon.restart()
                let client = try daemon.connect()
                for writer in writers {
                    acknowledged += try writer.check(through: client, "cycle \(cycle), seed \(seed)")
                }
            }
            print("\(acknowledged) transactions were acknowledged")
            #expect(acknowledged > Self.cycles * 20)
            daemon.program.signal(SIGTERM)
            #expect(try daemon.program.wait() == 0)
        }
    }
}

/// Appends items to its own list, numbered from zero, and records their number in the same transaction. Each names the revision
/// before it, so a repetition would be refused.
private final class KilledWriter: Sendable {
    private let list: String
    private let progress = Mutex(Progress())

    private struct Progress {
        /// The list's epoch, once known.
        var epoch: String?

        /// The transactions certainly on disk, without the first revision, which made the section and the counter.
        var kept = 0
        var sent = 0
        var acknowledged = 0
    }

    init(number: Int, generation: Int, _ daemon: Daemon) throws {
        list = "log-\(number)-\(generation)"
        let client = try daemon.connect()
        _ = try client.reply(to: #"{"id":1,"method":"createList","params":{"list":"\#(list)"}}"#)
        let counter = #"{"op":"appendSections","sections":[{"id":"s","items":[{"id":"counter","content":0}]}]}"#
        let reply = try client.reply(
            to: #"{"id":1,"method":"transact","params":{"list":"\#(list)","operations":[\#(counter)]}}"#)
        guard reply.contains(#""revision":1"#) else { throw Failure(reply) }
    }

    /// Deletes the list.
    func leave(_ daemon: Daemon) throws {
        let request = #"{"id":1,"method":"deleteList","params":{"list":"\#(list)"}}"#
        let reply = try daemon.connect().reply(to: request)
        guard reply.contains("result") else { throw Failure(reply) }
    }

    /// Keeps twenty transactions in flight until the daemon ends.
    func write(through client: RawClient) {
        var sent = progress.withLock(\.kept)
        func acknowledge() { progress.withLock { $0.acknowledged += 1 } }
        defer { progress.withLock { $0.sent = sent } }
        while true {
            while sent < progress.withLock(\.acknowledged) + 20 {
                let line = Array((transaction(sent) + "\n").utf8)
                sent += 1
                guard let count = try? client.sendAsFarAsPossible(line), count == line.count else {
                    // Answers from before its end can still be read.
                    while let reply = try? client.line() { if reply.contains(#""changed":true"#) { acknowledge() } }
                    return
                }
            }
            guard let reply = try? client.line() else { return }
            guard reply.contains(#""changed":true"#) else {
                Issue.record("\(reply)")
                return
            }
            acknowledge()
        }
    }

    /// The number acknowledged since the last start.
    var acknowledgedNow: Int { progress.withLock { $0.acknowledged - $0.kept } }

    private func transaction(_ number: Int) -> String {
        #"{"id":\#(number),"method":"transact","params":{"list":"\#(list)","ifRevision":\#(number + 1),"operations":["#
            + #"{"op":"appendItems","section":"s","items":[{"id":"\#(number)"}]},"#
            + #"{"op":"reconfigureItems","items":[{"id":"counter","content":\#(number + 1)}]}]}}"#
    }

    /// Checks the list after a start, and returns the number of transactions acknowledged since the last one.
    func check(through client: RawClient, _ when: String) throws -> Int {
        let reply = try client.reply(to: #"{"id":1,"method":"snapshot","params":{"list":"\#(list)"}}"#)
        let ids = reply.matches(of: /"id":"([0-9]+)"/).compactMap { Int($0.1) }
        let epoch = reply.firstMatch(of: /"epoch":"([^"]*)"/).map { String($0.1) }
        return progress.withLock { progress in
            #expect(epoch == progress.epoch ?? epoch, "\(when): \(list) has another epoch, and nothing was lost")
            #expect(ids == Array(0..<ids.count), "\(when): \(list) has gaps, or another order")
            #expect(ids.count >= progress.acknowledged, "\(when): \(list) lost something acknowledged")
            #expect(ids.count <= progress.sent, "\(when): \(list) has more than was sent")
            #expect(reply.contains("\"content\":\(ids.count)}"), "\(when): \(list) has half a transaction")
            #expect(reply.contains("\"revision\":\(ids.count + 1),"), "\(when): \(list) is at another revision")
            let acknowledged = progress.acknowledged - progress.kept
            progress = Progress(epoch: epoch, kept: ids.count, sent: ids.count, acknowledged: ids.count)
            return acknowledged
        }
    }
}
