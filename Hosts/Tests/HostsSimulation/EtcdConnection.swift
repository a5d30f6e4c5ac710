import SharedLog

/// A connector's client of etcd, with the behaviour of `EtcdClient`: one connection to one member at a time, the next member
/// when that one fails, and calls with deadlines.
///
/// Unchecked, because a world uses one thread.
final class EtcdConnection: LeasingEngine, @unchecked Sendable {
    private struct Link {
        var number: Int
        var member: Int
        var loss = Promise<Void>()
    }

    // The values of `EtcdClient.Deadlines`.
    private let deadlineOfRead = 3_000_000
    private let deadlineOfChange = 5_000_000
    private let deadlineOfGreeting = 3_000_000
    /// The pause after a round of members of which none answered.
    private let pause = 200_000...2_000_000

    private let world: World
    private let etcd: Etcd
    private let place: NetworkPlace
    private let clock: HostTimer
    private var next: Int
    private var links = 0
    private var link: Link?
    private var waiters: [Promise<Void>] = []
    private var watches: [Int: Watch] = [:]
    /// Whether the process was killed and has no further effect.
    private var isDead = false

    init(_ world: World, _ etcd: Etcd, _ place: NetworkPlace, _ clock: HostTimer, first: Int) {
        (self.world, self.etcd, self.place, self.clock, next) = (world, etcd, place, clock, first)
    }

    func die() {
        isDead = true
        for watch in watches.values { etcd.end(watch) }
        watches = [:]
    }

    // MARK: The connection

    func run() async {
        var failures = 0
        while !Task.isCancelled, !isDead {
            if await greet(next) {
                failures = 0
                links += 1
                let link = Link(number: links, member: next)
                self.link = link
                for waiter in waiters { waiter.keep(()) }
                waiters = []
                await link.loss.wait(cancelled: ())
            } else {
                failures += 1
                if failures % etcd.members.count == 0 {
                    try? await clock.sleep(.microseconds(world.number(pause)))
                }
            }
            next = (next + 1) % etcd.members.count
        }
    }

    private func greet(_ member: Int) async -> Bool {
        if case .success = await ask(.greeting, member, deadlineOfGreeting) { true } else { false }
    }

    private func lose(_ number: Int) {
        guard let link, link.number == number else { return }
        self.link = nil
        link.loss.keep(())
        // The watches end with their connection.
        for (_, watch) in watches.sorted(by: { $0.key < $1.key }) {
            etcd.end(watch)
            watch.hear(.ended)
        }
        watches = [:]
    }

    func connected() async {
        if link != nil { return }
        let waiter = Promise<Void>()
        waiters.append(waiter)
        await waiter.wait(cancelled: ())
    }

    // MARK: Calls

    private func ask(_ request: Etcd.Request, _ member: Int, _ deadline: Int) async -> Etcd.Answer {
        let lost = Etcd.Answer.failure(Etcd.Failure(error: .unknown("it was cancelled"), isOfMember: false))
        if isDead { return lost }
        let answer = Promise<Etcd.Answer>()
        etcd.send(request, from: place, to: member) { [clock] result in clock.deliver { answer.keep(result) } }
        clock.after(deadline) {
            answer.keep(.failure(Etcd.Failure(error: .unknown("no answer came in time"), isOfMember: true)))
        }
        return await answer.wait(cancelled: lost)
    }

    private func call(_ request: Etcd.Request, _ deadline: Int) async throws(EngineError) -> Etcd.Value {
        guard let link, !isDead else { throw .refused("there is no connection to etcd") }
        switch await ask(request, link.member, deadline) {
        case .success(let value): return value
        case .failure(let failure):
            if failure.isOfMember { lose(link.number) }
            throw failure.error
        }
    }

    func run(_ transaction: Transaction) async throws(EngineError) -> TransactionResult {
        let value = try await call(.transaction(transaction), transaction.isRead ? deadlineOfRead : deadlineOfChange)
        guard case .transaction(let result) = value else { preconditionFailure("a transaction has a result") }
        return result
    }

    func grantLease(for time: Duration) async throws(EngineError) -> Int64 {
        guard case .lease(let number) = try await call(.grant(time), deadlineOfChange) else {
            preconditionFailure("a lease has a number")
        }
        return number
    }

    func keepAlive(_ lease: Int64) async throws(EngineError) -> Bool {
        guard case .isAlive(let isAlive) = try await call(.keepAlive(lease), deadlineOfRead) else {
            preconditionFailure("a lease is there, or it is not")
        }
        return isAlive
    }

    func revoke(_ lease: Int64) async throws(EngineError) { _ = try await call(.revoke(lease), deadlineOfChange) }

    func watch(
        _ prefix: String, began: @Sendable @escaping () async throws -> Void,
        heard: @Sendable @escaping ([EngineEvent]) async throws -> Void
    ) async throws(EngineError) {
        guard let link, !isDead else { throw .refused("there is no connection to etcd") }
        let (messages, message) = AsyncStream.makeStream(of: WatchMessage.self)
        let watch = etcd.watch(prefix, at: link.member, for: place) { [clock] told in
            clock.deliver { message.yield(told) }
        }
        watches[watch.number] = watch
        defer {
            etcd.end(watch)
            watches[watch.number] = nil
        }
        do {
            for await told in messages {
                switch told {
                case .began: try await began()
                case .events(let events): try await heard(events)
                case .ended:
                    lose(link.number)
                    throw EngineError.unknown("the watch ended")
                }
            }
        } catch { throw .unknown("\(error)") }
    }
}
