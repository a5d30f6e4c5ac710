import Diffable
import Testing

@testable import DiffableStore

/// Callers that wait for etcd.
@Suite struct SharedWaitTests {
    private let host = ScriptedHost("alpha")
    private let heard = Heard()

    /// Unchecked, because a world uses one thread.
    private final class Heard: @unchecked Sendable {
        /// The error of each answer; nil for success.
        var answers: [StoreError?] = []
        /// The times to which the daemon's timer was set.
        var wakings: [Int] = []

        func note(_ result: Result<ListState, StoreError>) {
            if case .failure(let error) = result { answers.append(error) } else { answers.append(nil) }
        }
    }

    private func wait(seconds: Int) {
        host.world.run(until: host.world.now + seconds * 1_000)
        host.run { $0.endSharedWaits() }
    }

    @Test func `is told no later than others that a list was to be made or deleted, and that comes true`() throws {
        host.run { [heard] in $0.createSharedList("bar", completion: heard.note) }
        guard case .share(let creation, _, _, _)? = host.calls.popLast() else {
            Issue.record("it is not shared")
            return
        }
        wait(seconds: 9)
        #expect(heard.answers.isEmpty && host.run { $0.numberAwaitingEngine } == 1)
        wait(seconds: 2)
        #expect(heard.answers == [.outcomeUnknown("bar")] && host.items == nil)
        #expect(host.run { $0.numberAwaitingEngine } == 0)
        host.run { $0.settle(creation, .done) }
        #expect(host.items == [])

        host.run { [heard] in $0.deleteList("bar", completion: heard.note) }
        guard case .remove(let removal, _, _, nil)? = host.calls.popLast() else {
            Issue.record("it is not deleted")
            return
        }
        wait(seconds: 11)
        #expect(heard.answers == [.outcomeUnknown("bar"), .outcomeUnknown("bar")] && host.items == [])
        host.run { $0.settle(removal, .done) }
        #expect(host.items == nil && heard.answers.count == 2)
    }

    @Test func `is waited for by nobody once that was answered`() throws {
        host.run { [heard] store in
            store.wakeLater = { heard.wakings.append($0) }
            store.createSharedList("bar", completion: heard.note)
        }
        #expect(heard.wakings == [10_000])
        if case .share(let creation, _, _, _)? = host.calls.popLast() { host.run { $0.settle(creation, .done) } }
        #expect(heard.answers == [nil])
        wait(seconds: 10)
        #expect(heard.wakings == [10_000])
    }

    @Test func `is told that etcd is full if that is the reason`() throws {
        host.tell()
        let errors = Heard()
        for isFull in [true, false] {
            host.run {
                _ = $0.transact("bar", [.appendSections([Section(id: "s")])]) {
                    if case .failure(let error) = $0 { errors.answers.append(error) }
                }
            }
            guard case .append(let call, _, _, _, _, _)? = host.calls.popLast() else {
                Issue.record("it is not appended")
                return
            }
            host.run { $0.settle(call, .unreachable, isFull: isFull) }
            wait(seconds: 11)
            host.tell()
        }
        #expect(errors.answers == [.engineFull("bar"), .unreachable("bar")])
    }
}
