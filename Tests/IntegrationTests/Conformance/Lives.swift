import Foundation
import Synchronization

/// Which life of the daemon it is, and how to reach it.
final class Lives: Sendable {
    let socket: String
    private let number = Mutex(1)
    private let isOver = Mutex(false)

    init(socket: String) { self.socket = socket }

    var current: Int { number.withLock { $0 } }

    /// The daemon is about to end: connections from now on belong to the next life.
    func end() { number.withLock { $0 += 1 } }

    /// The clients are to finish.
    func finish() { isOver.withLock { $0 = true } }

    var isFinished: Bool { isOver.withLock { $0 } }

    /// A connection of which it is known which life it belongs to; nil when the clients are to finish.
    func connect() throws -> (RawClient, life: Int)? {
        let deadline = ContinuousClock.now + .seconds(60)
        while !isFinished {
            let life = current
            if let client = try? RawClient(connectingTo: socket), current == life { return (client, life) }
            guard ContinuousClock.now < deadline else { throw Failure("no daemon answers for a minute") }
            usleep(5_000)
        }
        return nil
    }
}

/// Runs on a thread of its own; what it throws is kept for the one who waits.
final class Task: Sendable {
    private let done = DispatchSemaphore(value: 0)
    private let failure = Mutex<(any Error)?>(nil)

    init(_ name: String, _ body: @escaping @Sendable () throws -> Void) {
        let thread = Thread { [self] in
            do { try body() } catch { failure.withLock { $0 = Failure("\(name): \(error)") } }
            done.signal()
        }
        thread.stackSize = 4 << 20
        thread.start()
    }

    func wait(within seconds: Double) throws {
        guard done.wait(timeout: .now() + seconds) == .success else { throw Failure("a client does not finish") }
        if let failure = failure.withLock({ $0 }) { throw failure }
    }
}
