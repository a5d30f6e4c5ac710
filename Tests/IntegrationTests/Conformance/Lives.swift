import Foundation
import Synchronization

/// Which life of the daemon it is, and how to reach it.
///
/// A client has to know which life it talks to, or it could not say what that one lost. So a connection counts only when
/// the same life was on before and after it was made, and a life is over before its daemon is told to end.
final class Lives: Sendable {
    let socket: String
    /// Says the same to programs of their own: `3`, or nothing while no daemon is there.
    let file: String
    private let state = Mutex(State())

    private struct State {
        var number = 0
        var isOn = false
        var isFinished = false
    }

    /// - Parameter socket: where clients find it, if that is not where it listens.
    init(of daemon: Daemon, at socket: String? = nil) {
        self.socket = socket ?? daemon.socket
        file = daemon.directory.file("life")
        begin()
    }

    /// A daemon is there that answers.
    func begin() {
        change {
            $0.number += 1
            $0.isOn = true
        }
    }

    /// The daemon is about to end.
    func end() { change { $0.isOn = false } }

    /// The clients are to go home.
    func finish() { change { $0.isFinished = true } }

    private func change(_ body: (inout State) -> Void) {
        state.withLock { state in
            body(&state)
            let word = state.isFinished ? "finished" : state.isOn ? "\(state.number)" : ""
            try? Data(word.utf8).write(to: URL(filePath: file), options: .atomic)
        }
    }

    /// Nil between two.
    private var current: Int? { state.withLock { $0.isOn ? $0.number : nil } }

    var isFinished: Bool { state.withLock { $0.isFinished } }

    /// Nil when the clients are to finish.
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

/// A client that runs on a thread of its own; what it throws is kept for the one who waits.
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
