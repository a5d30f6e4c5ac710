// Where the libraries are linked statically, sys/socket.h is part of CSystemd.
import CSystemd
import Glibc
import Synchronization

/// A service manager over its bus, by libsystemd's sd-bus.
///
/// All calls of sd-bus are made on one thread (`UnitBusLoop`), because a bus is not thread-safe. The thread sleeps while there
/// is nothing to do.
package final class UnitBus: UnitConnection {
    /// The service manager: the system's or the user's.
    package enum Scope: String, CaseIterable, Sendable {
        case system, user
    }

    typealias Command = @Sendable (UnitBusLoop) -> Void

    private struct State {
        var commands: [Command] = []
        var isClosed = false
        /// Whether the thread has ended and the descriptors are closed.
        var isOver = false
        var lastNumber = 0
        /// Callers that wait for an answer, by number.
        var waiting: [Int: CheckedContinuation<Result<String, UnitFailure>, Never>] = [:]
    }

    private let state = Mutex(State())
    /// A socket pair: a byte sent to the first wakes the thread, which polls the second.
    private let wakers: (write: Int32, read: Int32)

    /// Begins to connect. The listener receives the outcome.
    package init(_ scope: Scope, _ listener: @escaping UnitListener) throws(UnitFailure) {
        var pair: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &pair) == 0 else {
            throw .disconnected("cannot open a connection to systemd: \(errorDescription(errno))")
        }
        wakers = (pair[0], pair[1])
        var thread = pthread_t()
        let start = Unmanaged.passRetained(ThreadStart(bus: self, scope: scope, listener: listener))
        let status = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                let start = Unmanaged<ThreadStart>.fromOpaque(context).takeRetainedValue()
                UnitBusLoop(start.bus, start.scope, start.listener).run()
                start.bus.end()
                return nil
            }, start.toOpaque())
        guard status == 0 else {
            start.release()
            end()
            throw .disconnected("cannot start a thread for the connection to systemd: \(errorDescription(status))")
        }
        pthread_detach(thread)
    }

    package func close() {
        state.withLock { $0.isClosed = true }
        wake()
    }

    package func perform(_ action: UnitAction, on unit: String) async throws(UnitFailure) -> String {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let failure: UnitFailure? = state.withLock { state in
                    if Task.isCancelled { return .cancelled }
                    if state.isOver || state.isClosed { return .disconnected("the connection to systemd has ended") }
                    state.waiting[number] = continuation
                    state.commands.append { $0.perform(action, on: unit, for: number) }
                    return nil
                }
                if let failure { continuation.resume(returning: .failure(failure)) }
                wake()
            }
        } onCancel: {
            answer(number, .failure(.cancelled))
        }
        return try result.get()
    }

    private func wake() {
        state.withLock { state in
            // A full buffer wakes the thread anyway.
            if !state.isOver { _ = send(wakers.write, [0], 1, Int32(MSG_NOSIGNAL)) }
        }
    }

    // MARK: - For the thread

    var wakeDescriptor: Int32 { wakers.read }

    /// Returns the commands since the last call; nil when the thread has to end.
    func takeCommands() -> [Command]? {
        var bytes = [UInt8](repeating: 0, count: 64)
        while recv(wakers.read, &bytes, bytes.count, 0) == bytes.count {}
        return state.withLock { state in
            defer { state.commands = [] }
            return state.isClosed ? nil : state.commands
        }
    }

    func answer(_ number: Int, _ result: Result<String, UnitFailure>) {
        state.withLock { $0.waiting.removeValue(forKey: number) }?.resume(returning: result)
    }

    private func end() {
        let waiting = state.withLock { state in
            state.isOver = true
            defer { (state.waiting, state.commands) = ([:], []) }
            Glibc.close(wakers.read)
            Glibc.close(wakers.write)
            return state.waiting.values
        }
        for continuation in waiting {
            continuation.resume(returning: .failure(.unanswered("the connection to systemd was lost")))
        }
    }
}

/// The arguments of the thread, which takes one pointer.
private final class ThreadStart {
    let bus: UnitBus
    let scope: UnitBus.Scope
    let listener: UnitListener

    init(bus: UnitBus, scope: UnitBus.Scope, listener: @escaping UnitListener) {
        self.bus = bus
        self.scope = scope
        self.listener = listener
    }
}

/// Returns the system's message for an error number.
func errorDescription(_ error: Int32) -> String { String(cString: strerror(error)) }
