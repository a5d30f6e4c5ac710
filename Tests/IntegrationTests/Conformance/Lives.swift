import Foundation
import Synchronization

/// The current incarnation of the daemon, and its socket.
///
/// A client has to know the incarnation that it talks to, to attribute losses. So a connection counts only if the same
/// incarnation was running before and after it was made, and an incarnation ends before its daemon is asked to end.
final class Lives: Sendable {
    let socket: String
    /// The file in which other programs find the number: `3`, or nothing while no daemon runs.
    let file: String
    private let state = Mutex(State())

    private struct State {
        var number = 0
        var isOn = false
        var isFinished = false
    }

    /// - Parameter socket: the clients' socket, if it is not the daemon's own.
    init(of daemon: Daemon, at socket: String? = nil) {
        self.socket = socket ?? daemon.socket
        file = daemon.directory.file("life")
        begin()
    }

    /// Notes that a daemon answers.
    func begin() {
        change {
            $0.number += 1
            $0.isOn = true
        }
    }

    /// Notes that the daemon is about to end.
    func end() { change { $0.isOn = false } }

    /// Makes the clients finish.
    func finish() { change { $0.isFinished = true } }

    private func change(_ body: (inout State) -> Void) {
        state.withLock { state in
            body(&state)
            let word = state.isFinished ? "finished" : state.isOn ? "\(state.number)" : ""
            try? Data(word.utf8).write(to: URL(filePath: file), options: .atomic)
        }
    }

    /// The current incarnation; nil between two.
    private var current: Int? { state.withLock { $0.isOn ? $0.number : nil } }

    var isFinished: Bool { state.withLock { $0.isFinished } }

    /// Connects; returns nil when the clients have to finish.
    func connect() throws -> (RawClient, life: Int)? {
        let deadline = ContinuousClock.now + .seconds(240)
        while !isFinished {
            if let life = current, let client = try? RawClient(connectingTo: socket), current == life {
                return (client, life)
            }
            guard ContinuousClock.now < deadline else { throw Failure("no daemon answers for four minutes") }
            usleep(5_000)
        }
        return nil
    }
}

/// A client on a thread of its own. Its error is kept for the waiting thread.
final class ClientThread: Sendable {
    private let name: String
    private let done = DispatchSemaphore(value: 0)
    private let failure = Mutex<(any Error)?>(nil)

    init(_ name: String, _ body: @escaping @Sendable () throws -> Void) {
        self.name = name
        let thread = Thread { [self] in
            do { try body() } catch { failure.withLock { $0 = Failure("\(name): \(error)") } }
            done.signal()
        }
        thread.stackSize = 4 << 20
        thread.start()
    }

    var isDone: Bool {
        guard done.wait(timeout: .now()) == .success else { return false }
        done.signal()
        return true
    }

    func wait(until deadline: ContinuousClock.Instant) throws {
        let rest = ContinuousClock.now.duration(to: deadline)
        let seconds = Double(rest.components.seconds) + Double(rest.components.attoseconds) / 1e18
        guard done.wait(timeout: .now() + seconds) == .success else { throw Failure("\(name) does not finish") }
        done.signal()
        if let failure = failure.withLock({ $0 }) { throw failure }
    }
}
