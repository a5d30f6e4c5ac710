import Foundation
import TestSupport
import Testing

extension Integration {
    /// Thousands of meaningless lines, while a well-behaved client works.
    ///
    /// `RANDOM_LINES=1000000` sends a million, and `RANDOM_SEED=n` repeats a run; `DIFFABLED_BINARIES=.build/release` as an
    /// absolute path selects another build of the daemon.
    struct RandomLinesTests {
        private static let environment = ProcessInfo.processInfo.environment
        private static let count = environment["RANDOM_LINES"].flatMap { Int($0) } ?? 20_000
        private static let seed = environment["RANDOM_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0 ... .max)

        @Test func `a good client is served beside one that sends random lines`() async throws {
            let daemon = try Daemon()
            let good = try GoodClient(of: daemon)
            try daemon.succeed("create", "a", "--volatile")
            // Memory that the daemon keeps for the next line is not a leak, so it is allocated before the first measurement.
            var first = try RandomLines(seed: Self.seed ^ 1)
            _ = try first.send(2000, to: daemon.socket)
            let before = try settledLength(of: daemon, below: .max)
            let alone = try good.latencies(while: { $0 < 1000 })

            // Making the lines keeps the machine busy too; sending them to another daemon measures that effect.
            let other = try Daemon()
            try other.succeed("create", "a", "--volatile")
            let (elsewhere, _, _) = try await good.latencies(
                besides: Self.count / 5, seed: Self.seed ^ 2, to: other.socket)
            other.program.end(with: SIGKILL)
            let (beside, lines, answers) = try await good.latencies(
                besides: Self.count, seed: Self.seed, to: daemon.socket)

            try good.checkSubscriber()
            #expect(answers >= lines / 4, "\(answers) of \(lines) were answered; seed \(Self.seed)")
            #expect(daemon.program.exitStatus() == nil)
            let after = try settledLength(of: daemon, below: before + (32 << 20))
            #expect(
                after <= before + (32 << 20), "\(before >> 10) KiB before, \(after >> 10) KiB after; seed \(Self.seed)")
            report(alone, elsewhere, beside, before, after)
            // Only thousands of rounds are significant; a few depend on the machine's load.
            if Self.count >= 200_000 {
                #expect(beside.median <= alone.median * 10, "seed \(Self.seed)")
                #expect(beside.percentile99 <= elsewhere.percentile99 * 10, "seed \(Self.seed)")
            }
            // A line that blocks all clients takes most of the total time.
            #expect(beside.longest < max(.seconds(10), beside.sum / 3), "seed \(Self.seed)")
        }

        private func settledLength(of daemon: Daemon, below max: Int) throws -> Int {
            var length = daemon.program.residentLength
            for _ in 0..<1_200 where length > max || max == .max {
                Thread.sleep(forTimeInterval: 0.1)
                let next = daemon.program.residentLength
                if max == .max, next >= length { return next }
                length = next
            }
            return length
        }

        private func report(
            _ alone: Latencies, _ elsewhere: Latencies, _ beside: Latencies, _ before: Int, _ after: Int
        ) {
            print(
                "random lines: \(Self.count), seed \(Self.seed); a good client's transaction took \(alone) alone, "
                    + "\(elsewhere) while another daemon was sent them, \(beside) beside them; "
                    + "memory \(before >> 10) KiB before, \(after >> 10) KiB after")
        }
    }
}

private final class Flag: @unchecked Sendable {
    // Protected by the lock.
    private let lock = NSLock()
    private var value = false

    var isSet: Bool { lock.withLock { value } }

    func set() { lock.withLock { value = true } }
}

private struct Latencies: CustomStringConvertible {
    private let sorted: [Duration]

    init(_ latencies: [Duration]) { sorted = latencies.sorted() }

    var count: Int { sorted.count }
    var median: Duration { sorted.isEmpty ? .zero : sorted[sorted.count / 2] }
    var percentile99: Duration { sorted.isEmpty ? .zero : sorted[sorted.count * 99 / 100] }
    var longest: Duration { sorted.last ?? .zero }
    var sum: Duration { sorted.reduce(.zero, +) }
    var description: String { "\(median) (99%: \(percentile99), longest: \(longest), rounds: \(count))" }
}

/// Changes a list, and follows it on another connection. Used by one thread at a time.
private final class GoodClient: @unchecked Sendable {
    // The test waits for each use to end before the next.
    private let writer: RawClient
    private let subscriber: RawClient
    private var revision = 0

    init(of daemon: Daemon) throws {
        try daemon.succeed("create", "good", "--volatile")
        writer = try daemon.connect()
        subscriber = try daemon.connect()
        _ = try writer.reply(
            to: #"{"id":0,"method":"transact","params":{"list":"good","operations":["#
                + #"{"op":"appendSections","sections":[{"id":"s","items":[{"id":"a"},{"id":"b"}]}]}]}}"#)
        revision = 1
        _ = try subscriber.reply(to: "subscribe good")
        _ = try subscriber.lines(until: #""method":"reset""#)
    }

    /// Measures its transactions; each must be answered with the next revision.
    func latencies(while goesOn: (Int) -> Bool) throws -> Latencies {
        var latencies: [Duration] = []
        while goesOn(latencies.count) {
            let next = revision + 1
            let anchor = revision % 2 == 0 ? "before" : "after"
            let request =
                #"{"id":\#(next),"method":"transact","params":{"list":"good","operations":["#
                + #"{"op":"moveItem","item":"a","\#(anchor)":"b"}]}}"#
            var reply = ""
            latencies.append(try ContinuousClock().measure { reply = try writer.reply(to: request) })
            guard reply.hasPrefix(#"{"jsonrpc":"2.0","id":\#(next),"#), reply.contains(#""revision":\#(next),"#) else {
                throw Failure("\(request) was answered with \(reply)")
            }
            revision = next
            _ = try subscriber.lines(until: #""revision":\#(next),"#)
        }
        return Latencies(latencies)
    }

    /// Measures while random lines are sent to this daemon or another. Also returns the number of answered lines on connections
    /// that were read to their end.
    func latencies(
        besides count: Int, seed: UInt64, to socket: String
    ) async throws -> (Latencies, lines: Int, answers: Int) {
        let isDone = Flag()
        // Each on its own thread, because they wait for sockets.
        async let flood = onThread {
            defer { isDone.set() }
            var lines = try RandomLines(seed: seed)
            return try lines.send(count, to: socket)
        }
        let latencies = try await onThread { try self.latencies(while: { _ in !isDone.isSet }) }
        let (lines, answers) = try await flood
        return (latencies, lines, answers)
    }

    /// Checks that nothing else arrived.
    func checkSubscriber() throws {
        guard subscriber.isSilent() else {
            throw Failure("the subscriber was sent more: \(try subscriber.line() ?? "")")
        }
    }
}

/// Lines with little or no meaning, on short connections.
private struct RandomLines {
    private var random: SplitMix64
    private let valid: [[UInt8]]

    init(seed: UInt64) throws {
        random = SplitMix64(seed: seed)
        let corpus = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../Fuzzing/Corpus/request"
        )
        .standardizedFileURL
        // They use one list; a mutated name must not make a list that stays.
        valid = try FileManager.default.contentsOfDirectory(atPath: corpus.path).sorted().map {
            [UInt8](try Data(contentsOf: corpus.appending(path: $0)))
        }.filter { !String(decoding: $0, as: UTF8.self).contains("createList") }
    }

    /// Returns the number of sent lines on connections that were read to their end, and the number of replies on them.
    mutating func send(_ count: Int, to socket: String) throws -> (lines: Int, answers: Int) {
        var sent = 0
        var (lines, answers) = (0, 0)
        while sent < count {
            let client = try RawClient(connectingTo: socket)
            let share = min(count - sent, Int.random(in: 1...2000, using: &random))
            var rest = share
            var answered = 0
            while rest > 0 {
                let lines = (0..<min(rest, 100)).flatMap { _ in line() + [UInt8(ascii: "\n")] }
                answered += try client.exchange(lines)
                rest -= min(rest, 100)
            }
            // Half a line; half of the connections end silently.
            answered += try client.exchange(Self.ends + line().prefix(20))
            if Bool.random(using: &random) {
                client.finishSending()
                while try client.line() != nil { answered += 1 }
                lines += share
                answers += answered
            }
            client.close()
            sent += share
        }
        return (lines, answers)
    }

    /// Unsubscribes, because by chance one or two of a million lines subscribe, and a connection outlasts its input while it has
    /// a subscription.
    private static let ends = [UInt8](
        (1...4).map { #"{"method":"unsubscribe","params":{"subscription":\#($0)}}"# + "\n" }.joined().utf8)

    private mutating func line() -> [UInt8] {
        switch Int.random(in: 0..<4000, using: &random) {
        case 0: return [UInt8](repeating: UInt8.random(in: 32...126, using: &random), count: 3 << 20)
        case 1:
            return Array(#"{"id":1,"method":"ping","params":{"a":["#.utf8) + [UInt8](repeating: 0x5B, count: 1 << 19)
        case 2..<400: return [UInt8](repeating: 0x20, count: Int.random(in: 0...40, using: &random)) + [0x0D]
        case 400..<1200: return bytes(Int.random(in: 1...200, using: &random))
        case 1200..<1600: return valid.randomElement(using: &random) ?? []
        default: return mutated(valid.randomElement(using: &random) ?? [])
        }
    }

    private mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }.filter { $0 != UInt8(ascii: "\n") }
    }

    private mutating func mutated(_ line: [UInt8]) -> [UInt8] {
        var line = line
        for _ in 0..<Int.random(in: 1...3, using: &random) where !line.isEmpty {
            let place = Int.random(in: line.indices, using: &random)
            let end = min(place + Int.random(in: 1...16, using: &random), line.count)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: line[place] = UInt8.random(in: 32...255, using: &random)
            case 1: line.removeSubrange(place..<end)
            case 2: line.insert(contentsOf: line[place..<end], at: Int.random(in: line.indices, using: &random))
            default: line.insert(contentsOf: bytes(4), at: place)
            }
        }
        return line
    }
}
