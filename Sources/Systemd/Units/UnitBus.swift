// sys/socket.h is CSystemd's where the libraries are linked statically.
import CSystemd
import Glibc
import Synchronization

/// A service manager over its bus, by libsystemd's sd-bus.
///
/// All calls of sd-bus are made on one thread (`UnitBusLoop`), because a bus must not be touched by two. It sleeps until there is
/// something to do.
package final class UnitBus: UnitConnection {
    /// Whose units.
    package enum Scope: String, CaseIterable, Sendable {
        case system, user
    }

    typealias Command = @Sendable (UnitBusLoop) -> Void

    private struct State {
        var commands: [Command] = []
        var isClosed = false
        /// Whether the thread has ended, and with it the descriptors.
        var isOver = false
        var lastNumber = 0
        /// Who waits for an answer, by number.
        var waiting: [Int: CheckedContinuation<Result<String, UnitFailure>, Never>] = [:]
    }

    private let state = Mutex(State())
    /// What is written to the first wakes the thread, which polls the second.
    private let wakers: (write: Int32, read: Int32)

    /// Begins to connect; what comes of that is heard.
    package init(_ scope: Scope, _ listener: @escaping UnitListener) throws(UnitFailure) {
        var pair: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &pair) == 0 else {
            throw .disconnected("there is no descriptor for a connection to systemd: \(words(errno))")
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
            throw .disconnected("there is no thread for a connection to systemd: \(words(status))")
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
            // When it is full, the thread will wake anyhow.
            if !state.isOver { _ = send(wakers.write, [0], 1, Int32(MSG_NOSIGNAL)) }
        }
    }

    // MARK: - For the thread

    var wakeDescriptor: Int32 { wakers.read }

    /// What is to be done since it was asked last; nil when it is to end.
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

/// What a thread is given, which takes one pointer.
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

/// The system's words for an error number.
func words(_ error: Int32) -> String { String(cString: strerror(error)) }
