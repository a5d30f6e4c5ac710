import Diffable
import DiffableClient
import Foundation
import Synchronization
import TestSupport
import Testing

/// A follower that keeps rows by index paths only, and notes the states that it saw.
final class TypedFollower: Sendable {
    struct Row: Decodable, Sendable {
        var number: Int
        var text: String
    }

    struct Seen: Sendable {
        var revision: Int
        var state: String
        var cause: UpdateCause
    }

    let name: String
    private let pause: Duration
    /// The number of updates after which it begins a new loop.
    private let patience: Int
    private let seen = Mutex<[Seen]>([])

    init(_ name: String, pause: Duration = .zero, patience: Int = .max) {
        self.name = name
        self.pause = pause
        self.patience = patience
    }

    var all: [Seen] { seen.withLock { $0 } }
    var revision: Int { seen.withLock { $0.last?.revision ?? -1 } }

    /// Follows until it is cancelled.
    func follow(_ list: ListName, of client: Client) async throws {
        while true {
            var rows: Rows?
            var last: ListUpdate<Row>?
            var count = 0
            do {
                for try await update in client.list(list, as: Row.self) {
                    check(update, after: last, &rows)
                    last = update
                    count += 1
                    if count == patience { break }
                    if pause > .zero { try await Task.sleep(for: pause) }
                }
            } catch ClientError.cancelled {
                return
            } catch is CancellationError {
                return
            }
            guard count == patience else { throw Failure("\(name): the sequence ended") }
        }
    }

    private func check(_ update: ListUpdate<Row>, after last: ListUpdate<Row>?, _ rows: inout Rows?) {
        let untyped = update.snapshot.untyped
        #expect((update.cause == .initial) == (last == nil), "\(name)")
        #expect(update.previous.untyped == last?.snapshot.untyped ?? Snapshot(), "\(name)")
        #expect((try? update.previous.untyped.applying(update.difference)) == untyped, "\(name)")
        if let last { #expect(update.revision > last.revision, "\(name): never the same twice, and never back") }
        let new = Rows(untyped)
        if rows == nil { rows = Rows(Snapshot()) }
        rows?.carryOut(update.changes, asking: new)
        #expect(rows == new, "\(name): index paths at revision \(update.revision)")
        for id in untyped.itemIdentifiers {
            let content = #"{"number":\#(update.snapshot[id]?.content.number ?? -1),"#
            #expect(untyped.item(id)?.content?.description.hasPrefix(content) == true, "\(name)")
        }
        let state = Seen(revision: update.revision, state: untyped.json, cause: update.cause)
        seen.withLock { $0.append(state) }
    }

    /// Checks that each seen state is a state of the list.
    func check(against log: RevisionLog) {
        for seen in all { #expect(log.state(at: seen.revision) == seen.state, "\(name) at \(seen.revision)") }
    }
}

/// The same as `eventually`, for waits that must not block the thread.
func eventuallyInTask<R>(
    within seconds: Double = 240, isolation: isolated (any Actor)? = #isolation, _ what: @autoclosure () -> String,
    _ body: () async throws -> R?
) async throws -> R {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while true {
        if let result = try await body() { return result }
        guard ContinuousClock.now < deadline else { throw Failure("after \(seconds) s still no \(what())") }
        try await Task.sleep(for: .milliseconds(5))
    }
}

/// Runs blocking work without taking a thread from tasks.
func onThread<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
}
