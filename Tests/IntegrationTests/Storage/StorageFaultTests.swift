import Dispatch
import Foundation
import Synchronization
import Testing

extension Integration {
    /// One storage call fails in each run of a fixed script. Afterwards no acknowledged request is lost, and when the client
    /// continues the script, nothing is applied twice or partially.
    @Suite(.enabled(if: StorageFault.library != nil, "needs a C compiler, /usr/bin/cc"))
    struct StorageFaultTests {
        @Test(arguments: [StorageFault.Action.kill, .torn])
        func `the daemon is killed at any call to storage`(action: StorageFault.Action) throws {
            try run(.small, .any, action, every: action == .kill ? 6 : 15)
        }

        @Test func `any write fails`() throws { try run(.small, .write, .inputOutput, every: 8) }

        @Test(arguments: [StorageFault.Action.inputOutput, .noSpace])
        func `any sync fails`(action: StorageFault.Action) throws { try run(.small, .sync, action, every: 5) }

        @Test(arguments: [StorageFault.Action.noSpace, .quota, .tooLong])
        func `the disk is full at any write`(action: StorageFault.Action) throws {
            try run(.small, .write, action, every: action == .noSpace ? 8 : 15)
        }

        @Test func `any write is short, and goes on`() throws { try run(.small, .write, .short, every: 8) }

        @Test func `a disk that fails after SIGTERM is told by the status, and nothing is lost`() throws {
            let directory = try ScratchDirectory()
            let fault = StorageFault(kind: .sync, number: 1, action: .inputOutput)
            var environment = try StorageFault.environment(fault, in: directory)
            environment["FAULT_HELD"] = directory.file("held")
            let program = try Program(
                Binaries.daemon, ["--socket", directory.file("socket"), "--state-directory", directory.file("state")],
                environment: environment, in: directory)
            let client = try #require(try Daemon.client(of: program, in: directory))
            for request in FixedScript.small.requests.prefix(3) { _ = try client.reply(to: request) }
            let state = try FixedScript.state(client)
            _ = try directory.write("", to: "held")
            program.signal(SIGTERM)
            #expect(try program.wait() == 74, "\(program.complaints)")
            #expect(program.complaints.contains("the lists cannot be written"))
            let (again, other) = try Daemon.startFailing(nil, in: directory)
            #expect(try FixedScript.state(try #require(other)) == state)
            again.end(with: SIGTERM)
            #expect(again.exitStatus() == 0)
        }

        @Test(arguments: [
            (StorageFault.Kind.any, StorageFault.Action.kill), (.any, .torn), (.write, .inputOutput),
            (.sync, .inputOutput), (.write, .noSpace),
        ])
        func `a call fails while checkpoints are written and the log is moved`(
            kind: StorageFault.Kind, action: StorageFault.Action
        ) throws {
            // Testing every one takes an hour.
            try run(.large, kind, action, every: kind == .sync ? 9 : 1_297, inSoak: 97)
        }

        /// Three runs at a time, because each mostly waits.
        private func run(
            _ script: FixedScript, _ kind: StorageFault.Kind, _ action: StorageFault.Action, every step: Int,
            inSoak stepInSoak: Int = 1
        ) throws {
            let (states, calls) = try script.reference(kind)
            let numbers = Sweep.places(
                1...calls, every: step, inSoak: stepInSoak, of: "calls (\(kind.rawValue)) at which \(action.rawValue)")
            #expect(numbers.count > 2)
            let failures = Mutex<[String]>([])
            let next = Atomic(0)
            DispatchQueue.concurrentPerform(iterations: 3) { _ in
                while true {
                    let index = next.add(1, ordering: .relaxed).oldValue
                    guard index < numbers.count else { return }
                    let fault = StorageFault(kind: kind, number: numbers[index], action: action)
                    do { try FaultyRun(script, states, fault).carryOut() } catch {
                        failures.withLock { $0.append("\(action.rawValue) at call \(fault.number): \(error)") }
                    }
                }
            }
            let all = failures.withLock { $0 }
            #expect(all.isEmpty, "\(all.count) of \(numbers.count): \(all.prefix(5).joined(separator: "\n"))")
        }
    }
}

/// One run of a script in which one call fails.
private final class FaultyRun {
    private let script: FixedScript
    private let states: [String]
    private let fault: StorageFault
    private let directory: ScratchDirectory
    /// The number of requests known to be executed.
    private var acknowledged = 0
    /// Whether the next request may have been executed as well.
    private var isNextUnknown = false

    init(_ script: FixedScript, _ states: [String], _ fault: StorageFault) throws {
        self.script = script
        self.states = states
        self.fault = fault
        directory = try ScratchDirectory()
    }

    func carryOut() throws {
        let (program, client) = try Daemon.startFailing(fault, in: directory)
        if let client { try goOn(client) }
        try end(program)
        try checkSyncs()
        // Without a fault: the current state, and the rest of the script.
        let (again, other) = try Daemon.startFailing(nil, in: directory)
        guard let other else { throw Failure("the daemon does not start again: \(again.complaints)") }
        if fault.action == .short, again.complaints.contains("new epoch") {
            throw Failure("a write that was short cost the epochs: \(again.complaints)")
        }
        let state = try FixedScript.state(other)
        guard state == states[acknowledged] || isNextUnknown && state == states[acknowledged + 1] else {
            throw Failure("after \(acknowledged) requests there is \(state.prefix(600))\n\(again.complaints)")
        }
        try goOn(other)
        guard try FixedScript.state(other) == states[script.requests.count] else {
            throw Failure("the rest of the script led elsewhere: \(try FixedScript.state(other).prefix(600))")
        }
        again.signal(SIGKILL)
        _ = try again.wait()
    }

    /// Executes the rest of the script, until the daemon fails.
    private func goOn(_ client: RawClient) throws {
        while acknowledged < script.requests.count {
            switch try FixedScript.carryOut(script.requests[acknowledged], client) {
            case .done: acknowledged += 1
            case .refusedAsRepeated:
                guard isNextUnknown else { throw Failure("request \(acknowledged) was carried out before") }
                acknowledged += 1
            case .noSpace:
                // The list is unchanged, and there is room at once.
                guard try FixedScript.state(client) == states[acknowledged] else {
                    throw Failure("a transaction that was refused for want of space left something")
                }
                continue
            case .unknown:
                if fault.action.isLackOfRoom, fault.kind == .write {
                    throw Failure("a full disk is no reason to fail")
                }
                if fault.action == .short { throw Failure("a short write is no reason to fail") }
                isNextUnknown = true
                return
            case .unreadable: return
            }
            isNextUnknown = false
        }
    }

    private func end(_ program: Program) throws {
        switch fault.action {
        case .kill, .torn:
            program.signal(SIGTERM)
            _ = try program.wait()
        case .short:
            program.signal(SIGTERM)
            let status = try program.wait()
            guard status == 0 else { throw Failure("it ended with \(status): \(program.complaints)") }
        case .inputOutput, .noSpace, .quota, .tooLong:
            if isNextUnknown {
                // The daemon exits, with a status for which a service manager restarts it.
                let status = try program.wait()
                guard status == 74 else { throw Failure("it ended with \(status): \(program.complaints)") }
            } else {
                program.signal(SIGTERM)
                let status = try program.wait()
                guard status == 74 || status == 0 && !hasLostWrites else {
                    let call = StorageFault.calls(in: directory).first { $0.result != "-" }
                    throw Failure("it ended with \(status) after \(call.debugDescription): \(program.complaints)")
                }
            }
        }
    }

    /// Whether data may not be on disk after lists exist. This does not count an error that SQLite ignores: the sync of the
    /// directory in which its log is new.
    private var hasLostWrites: Bool {
        let calls = StorageFault.calls(in: directory)
        guard fault.action == .inputOutput, let index = calls.firstIndex(where: { $0.result != "-" }) else {
            return false
        }
        return calls[..<index].contains { $0.file.hasSuffix("-wal") } && calls[index].file != "state"
    }

    /// Checks that the same process does not retry a failed sync: it may succeed without the lost data. While the database is
    /// being made there is nothing to lose. SQLite ignores a failed sync of the directory in which its log is new; at startup,
    /// the witness reveals a log that was lost by that.
    private func checkSyncs() throws {
        let calls = StorageFault.calls(in: directory)
        guard fault.action == .inputOutput || fault.action == .noSpace,
            let index = calls.firstIndex(where: { $0.result != "-" }), calls[index].isSync,
            calls[..<index].contains(where: { $0.file.hasSuffix("-wal") }), calls[index].file != "state"
        else { return }
        if calls[index...].dropFirst().contains(where: { $0.isSync && $0.file == calls[index].file }) {
            throw Failure("\(calls[index].file) was synced again")
        }
        try? FileManager.default.removeItem(atPath: directory.file("calls"))
    }
}
