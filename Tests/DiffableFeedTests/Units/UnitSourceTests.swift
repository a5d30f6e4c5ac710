import Diffable
import DiffableClient
import DiffableInput
import Systemd
import TestSupport
import Testing

@testable import DiffableFeed

/// A feed of units on a simulated service manager.
@Suite struct UnitSourceTests {
    private let systemd = FakeSystemd()
    private let states = Collected()
    private let source: UnitSource

    init() {
        let systemd = systemd
        source = UnitSource(UnitSettings(), user: 1_000) { _, listener in systemd.connect(listener) }
        systemd.load("a.service", "active", since: 5)
        systemd.load("b.service", "inactive")
    }

    private var last: [String] {
        guard case .whole(.whole(let list))? = states.values.last else { return [] }
        return list.sections.flatMap(\.items).map { "\($0.id)" }
    }

    private func running(_ body: () async throws -> Void) async throws {
        let (source, states) = (source, states)
        let run = Task { try await source.run { states.append($0) } }
        defer { run.cancel() }
        #expect(try await eventuallyInTask { systemd.hasListener })
        systemd.tell(.subscribed)
        systemd.settle()
        #expect(try await eventuallyInTask { !states.values.isEmpty })
        try await body()
        run.cancel()
        await #expect(throws: CancellationError.self) { try await run.value }
        #expect(systemd.isClosed)
    }

    @Test func `units come and go`() async throws {
        try await running { () async throws in
            #expect(last == ["a.service", "b.service"])
            systemd.load("c.service", "active", since: 7)
            systemd.settle()
            #expect(try await eventuallyInTask { last == ["a.service", "b.service", "c.service"] })
            systemd.unload("a.service")
            #expect(try await eventuallyInTask { last == ["b.service", "c.service"] })
        }
    }

    @Test func `a unit that changes a thousand times is shown a few times, and as it is in the end`() async throws {
        try await running { () async throws in
            let before = states.values.count
            let start = ContinuousClock.now
            for number in 0..<1_000 {
                systemd.change("a.service", number % 2 == 0 ? "failed" : "active", since: 10 + number)
                systemd.settle()
            }
            systemd.change("a.service", "failed", since: 5_000)
            systemd.settle()
            #expect(
                try await eventuallyInTask {
                    guard case .whole(.whole(let list))? = states.values.last else { return false }
                    return list.sections[0].items[0].content?.description.contains(#""since":5000"#) == true
                })
            let time = ContinuousClock.now - start
            #expect(Double(states.values.count - before) <= time / UnitSource.rest + 2)
        }
    }

    @Test func `a connection that is lost ends the run with what to do`() async throws {
        let (source, states) = (source, states)
        let run = Task { try await source.run { states.append($0) } }
        #expect(try await eventuallyInTask { systemd.hasListener })
        systemd.tell(.ended(.disconnected("the bus of systemd cannot be reached: No such file or directory")))
        let error = await #expect(throws: FeedError.self) { try await run.value }
        #expect(
            error?.description == """
                the bus of systemd cannot be reached: No such file or directory; check that `systemctl --user status` works for \
                this user, which needs a session or `loginctl enable-linger`; for the system's units, set bus: system
                """)
        #expect(systemd.isClosed && states.values.isEmpty)
    }

    @Test func `the bus is the user's own, and the system's for root, unless the file says it`() {
        #expect(UnitSource(UnitSettings(), user: 0).bus == .system)
        #expect(UnitSource(UnitSettings(), user: 5).bus == .user)
        var settings = UnitSettings()
        settings.bus = .system
        #expect(UnitSource(settings, user: 5).bus == .system)
    }

    // MARK: - Actions

    private func outcome(_ action: UnitAction, _ target: ActionTarget) async -> String {
        do {
            return try await source.perform(action, target).map { "\($0.unit) \($0.result)" }.joined(separator: ", ")
        } catch let refusal as RequestRefusal {
            return "refused: \(refusal)"
        } catch let failure as RequestFailure {
            return "failed: \(failure)"
        } catch {
            return "\(error)"
        }
    }

    @Test func `actions are done with all items, and each problem is said in words`() async throws {
        #expect(
            await outcome(.start, .items(["b.service"])).hasPrefix(
                "refused: nothing was done, because there is no connection to systemd"))
        try await running { () async throws in
            #expect(await outcome(.restart, .items(["a.service", "b.service"])) == "a.service done, b.service done")
            #expect(Set(systemd.performed) == ["restart a.service", "restart b.service"])
            #expect(await outcome(.stop, .list).hasPrefix("refused: no units are named"))
            let unknown = await outcome(.stop, .items(["a.service", "x.service"]))
            #expect(unknown == "refused: x.service is not a unit of this list, so nothing was done")
            #expect(systemd.performed.count == 2)

            systemd.fail(.start, on: "a.service", .success("failed"))
            #expect(
                await outcome(.start, .items(["a.service", "b.service"])) == """
                    failed: a.service did not start: it failed (see `systemctl --user status a.service`); done for b.service
                    """)
            for (result, words) in [
                ("timeout", "took longer than its time limit"), ("dependency", "needs another unit, which failed"),
                ("canceled", "was cancelled by another job of the unit"), ("invalid", "ended with \"invalid\""),
            ] {
                systemd.fail(.start, on: "a.service", .success(result))
                let failure = await outcome(.start, .items(["a.service"]))
                #expect(failure.hasPrefix("failed: a.service did not start: it \(words) ("))
            }
            systemd.fail(.stop, on: "a.service", .failure(.denied("Access denied")))
            let denied = await outcome(.stop, .items(["a.service"]))
            #expect(
                denied.hasPrefix("refused: a.service: this feed runs as user ")
                    && denied.contains("can stop the system's units")
            )
            #expect(await outcome(.stop, .items(["a.service", "b.service"])).hasPrefix("failed: a.service: "))
            systemd.fail(.stop, on: "a.service", .failure(.refused("Unit a.service is masked.")))
            #expect(await outcome(.stop, .items(["a.service"])) == "refused: a.service: Unit a.service is masked.")
            systemd.fail(.stop, on: "a.service", .failure(.unanswered("lost")))
            #expect(await outcome(.stop, .items(["a.service"])).hasPrefix("failed: a.service: it is not known whether"))
        }
    }

    @Test func `the list answers start, stop and restart`() throws {
        #expect(source.handler != nil && source.runMode == .stream && source.watchedPaths.isEmpty)
    }
}
