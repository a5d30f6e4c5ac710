import Diffable
import Foundation
import Testing

extension Integration {
    /// Random clients, random ends of the daemon, and every promise checked afterwards.
    ///
    /// `DIFFABLED_SOAK=600` goes on for so many seconds, `DIFFABLED_SEED` repeats a run as far as the machine's own
    /// timing lets it.
    struct ConformanceTests {
        private static let environment = ProcessInfo.processInfo.environment
        private static let seconds = environment["DIFFABLED_SOAK"].flatMap { Double($0) } ?? 30
        private static let seed =
            environment["DIFFABLED_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...UInt64.max)

        @Test func `every promise is kept, whatever the clients do and however the daemon ends`() throws {
            print("conformance: DIFFABLED_SEED=\(Self.seed)")
            var random = SplitMix64(seed: Self.seed)
            let end = ContinuousClock.now + .seconds(Self.seconds)
            var rounds = 0
            repeat {
                let chronicle = try round(seed: random.next())
                for promise in Promise.all {
                    let violations = promise.violations(chronicle.events)
                    #expect(
                        violations.isEmpty,
                        "seed \(Self.seed), round \(rounds): \(promise.name): \(violations.prefix(3))")
                    if !violations.isEmpty { return }
                }
                rounds += 1
            } while ContinuousClock.now < end
            print("conformance: \(rounds) rounds")
        }

        private func round(seed: UInt64) throws -> Chronicle {
            var random = SplitMix64(seed: seed)
            let writers = 4
            let daemon = try Daemon()
            try daemon.succeed("create", "list")
            let marks = (0..<writers).map { #"{"id":"\#(Chronicle.mark(of: $0))"}"# }.joined(separator: ",")
            let start = #"{"sections":[{"id":"first","items":[\#(marks)]},{"id":"second"}]}"#
            try daemon.succeed("apply", "list", input: start)
            let lives = Lives(socket: daemon.socket)
            let chronicle = Chronicle()
            let habits: [Subscriber.Habit] = [
                .reads, .reads, .dawdles(microseconds: 2_000), .dawdles(microseconds: 20_000),
                .stalls(microseconds: 300_000), .leaves(groupsMax: 3), .leaves(groupsMax: 50), .leaves(groupsMax: 200),
            ]
            let subscribers = habits.enumerated().map { index, habit in
                let subscriber = Subscriber(
                    name: "subscriber \(index)", list: "list", lives: lives, chronicle: chronicle, writers: writers,
                    habit: habit)
                let seed = random.next()
                return Task(subscriber.name) { try subscriber.run(seed: seed) }
            }
            let tasks = (0..<writers).map { number in
                let writer = Writer(
                    number: number, list: "list", lives: lives, chronicle: chronicle, writers: writers,
                    isSubscribed: number % 2 == 0)
                let seed = random.next()
                return Task(writer.name) { try writer.run(400, seed: seed) }
            }
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                usleep(UInt32.random(in: 50_000...600_000, using: &random))
                lives.end()
                daemon.program.end(with: Bool.random(using: &random) ? SIGKILL : SIGTERM)
                try daemon.restart()
            }
            for task in tasks { try task.wait(within: 120) }
            try daemon.succeed("append", "list", "end")
            for task in subscribers { try task.wait(within: 60) }
            return chronicle
        }
    }
}
