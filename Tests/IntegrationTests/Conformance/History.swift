import Diffable
import Foundation
import TestSupport

/// A daemon, four writers, two leasing writers, and a crowd of subscribers, from a seed.
struct History {
    let chronicle = Chronicle()
    private let daemon: Daemon
    /// The proxy that injects a fault into the daemon's lines.
    private let proxy: FaultyProxy?
    private let lives: Lives
    private let seed: UInt64
    /// The number of transactions of each writer.
    private let transactions: Int
    private static let writers = 4
    private static let list = "list"
    /// The list with leases.
    private static let leased = "leased"
    /// The subscriber that uses the package `diffable`.
    static let packageSubscriber = "the subscriber by the Python client"

    init(seed: UInt64, transactions: Int = 120, fault: PlantedFault? = nil) throws {
        self.seed = seed
        self.transactions = transactions
        let directory = try ScratchDirectory()
        daemon = try Daemon(in: directory, environment: fault?.environment(in: directory) ?? [:])
        proxy = try fault?.proxy(for: daemon)
        try daemon.succeed("create", Self.list)
        // Longer than a line, so that it is sent in parts.
        let filling = (0..<3).map { #"{"id":"filling \#($0)","content":"\#(String(repeating: "f", count: 22_000))"}"# }
        let marks = (0...Self.writers).map { #"{"id":"\#(Chronicle.mark(of: $0))","content":{"n":0}}"# }
        let start = """
            {"sections":[{"id":"first","items":[\(marks.joined(separator: ","))]},{"id":"second"},
            {"id":"third","items":[\(filling.joined(separator: ","))]}]}
            """
        try daemon.succeed("apply", Self.list, input: start)
        try daemon.succeed("create", Self.leased)
        try daemon.succeed("apply", Self.leased, input: #"{"sections":[{"id":"first"},{"id":"second"}]}"#)
        lives = Lives(of: daemon, at: proxy?.socket)
    }

    private(set) var numberOfLives = 1

    private func participant(_ name: String, view: String = "") -> Participant {
        Participant(
            name: name, list: Self.list, lives: lives, chronicle: chronicle, writers: Self.writers + 1, view: view)
    }

    private func leasing(_ name: String) -> Participant {
        Participant(name: name, list: Self.leased, lives: lives, chronicle: chronicle, writers: 0)
    }

    /// - Parameters:
    ///   - ends: whether the daemon sometimes ends.
    ///   - seconds: the most time for the clients.
    mutating func run(ends: Bool, within seconds: Double = 600) throws {
        var random = SplitMix64(seed: seed)
        defer { lives.finish() }
        let subscribers = subscribers(&random)
        let programs = try programs(&random)
        let writers = writers(&random)
        let leasing = leasingWriters(&random)
        let deadline = ContinuousClock.now + .seconds(seconds)
        var endsLeft = ends ? Int.random(in: 2...6, using: &random) : 0
        while endsLeft > 0, !writers.allSatisfy(\.isDone), ContinuousClock.now < deadline {
            usleep(UInt32.random(in: 50_000...800_000, using: &random))
            try end(with: Bool.random(using: &random) ? SIGKILL : SIGTERM)
            endsLeft -= 1
        }
        for writer in writers + leasing { try writer.wait(until: deadline) }
        try LeaseAudit(participant: self.leasing("the leases' auditor")).run()
        try daemon.succeed("append", Self.leased, "end", "--section", "second")
        let closing = closingWriter(seed: random.next())
        for subscriber in subscribers { try subscriber.wait(until: deadline) }
        for program in programs { try program.finish() }
        lives.finish()
        try closing.wait(until: deadline)
    }

    private mutating func end(with signal: Int32) throws {
        lives.end()
        daemon.program.end(with: signal)
        if signal == SIGTERM, let status = daemon.program.exitStatus(), status != 0 {
            throw Failure("the daemon was asked to end and ended with \(status): \(daemon.program.complaints)")
        }
        try daemon.restart()
        lives.begin()
        numberOfLives += 1
    }

    // MARK: Participants

    private func subscribers(_ random: inout SplitMix64) -> [ClientThread] {
        let filtered = #"{"where":{"or":[{"path":"/n","exists":true},{"path":"/shown","equals":true}]}}"#
        let sorted = #"{"where":{"path":"/shown","equals":true},"sort":["/text"]}"#
        let windowed = #"{"window":{"offset":0,"limit":12}}"#
        let habits: [(String, view: String, Subscriber.Habit)] = [
            ("fast", "", .reads), ("slow", "", .dawdles(microseconds: 10_000)),
            ("stalled", "", .stalls(microseconds: 400_000)), ("restless", "", .leaves(groupsMax: 3)),
            ("resuming", "", .leaves(groupsMax: 50)), ("filtered", filtered, .leaves(groupsMax: 100)),
            ("sorted", sorted, .dawdles(microseconds: 5_000)), ("windowed", windowed, .leaves(groupsMax: 100)),
        ]
        let views = [
            "", filtered, sorted, windowed, #"{"expansion":"own","expanded":[]}"#,
            #"{"expansion":"own","toggled":["writer 0","writer 1"]}"#,
        ]
        let all =
            habits.map { name, view, habit in
                Subscriber(participant: participant("the \(name) subscriber", view: view), habit: habit)
            } + [
                Subscriber(participant: participant("the fickle subscriber"), habit: .turns(views: views)),
                Subscriber(participant: leasing("the subscriber of what is leased"), habit: .leaves(groupsMax: 20)),
            ]
        return all.map { subscriber in
            let seed = random.next()
            return ClientThread(subscriber.participant.name) { try subscriber.run(seed: seed) }
        }
    }

    private func programs(_ random: inout SplitMix64) throws -> [PythonClient] {
        [
            try PythonClient(participant("the asyncio subscriber"), seed: random.next(), in: daemon.directory),
            try PythonClient(
                participant(Self.packageSubscriber), script: "follow_by_package.py", seed: random.next(),
                in: daemon.directory),
            try PythonClient(
                participant("the patched subscriber"), members: #"{"deliver":"patches"}"#, seed: random.next(),
                in: daemon.directory),
            try PythonClient(
                participant("the subscriber to snapshots"), members: #"{"deliver":"snapshots","bookmark":50}"#,
                seed: random.next(), in: daemon.directory),
            try PythonClient(
                participant("the patient subscriber"), members: #"{"minInterval":100,"bookmark":20}"#,
                seed: random.next(), in: daemon.directory),
        ]
    }

    private func leasingWriters(_ random: inout SplitMix64) -> [ClientThread] {
        (0..<2).map { number in
            let writer = LeasingWriter(participant: leasing("leasing writer \(number)"), number: number)
            let (seed, leases) = (random.next(), transactions / 6)
            return ClientThread(writer.participant.name) { try writer.run(seed: seed, leases: leases) }
        }
    }

    private func writers(_ random: inout SplitMix64) -> [ClientThread] {
        (0..<Self.writers).map { number in
            let participant = participant("writer \(number)")
            let writer = KeyedWriter(participant: participant, number: number, isSubscribed: number % 2 == 0)
            let (seed, transactions) = (random.next(), transactions)
            return ClientThread(participant.name) {
                var items = OwnItems(of: number)
                try writer.run(seed: seed) { number, random in
                    number > transactions ? nil : items.change(number, &random)
                }
            }
        }
    }

    /// Inserts the item that makes subscribers finish, and continues until all have seen it, in case one misses a change.
    private func closingWriter(seed: UInt64) -> ClientThread {
        let number = Self.writers
        let writer = KeyedWriter(participant: participant("the closing writer"), number: number, isSubscribed: false)
        let lives = lives
        return ClientThread(writer.participant.name) {
            try writer.run(seed: seed) { transaction, _ in
                let mark = OwnItems.mark(number, transaction)
                let end = Item(id: "end", content: Content(Array(#"{"shown":true}"#.utf8)))
                if transaction == 1 { return [.insertItems([end], at: .front(of: .section("first"))), mark] }
                usleep(20_000)
                return lives.isFinished ? nil : [mark]
            }
        }
    }
}
