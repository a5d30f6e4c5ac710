import Dispatch
import Foundation
import Synchronization
import Testing

extension Integration {
    /// One call to storage goes wrong in each run of a fixed script. Afterwards nothing acknowledged is lost, and when
    /// the script is taken up again where the client believes it to be, nothing comes twice and nothing by halves.
    @Suite(.enabled(if: StorageFault.library != nil, "needs a C compiler, /usr/bin/cc"))
    struct StorageFaultTests {
        /// Whether each call is tried, also of the large script, which takes an hour; otherwise a part of them, from a
        /// random one on. `DIFFABLED_SOAK=1 swift test --filter StorageFaultTests`
        private static let isThorough = ProcessInfo.processInfo.environment["DIFFABLED_SOAK"] != nil

        @Test(arguments: [StorageFault.Action.kill, .torn])
        func `the daemon is killed at any call to storage`(action: StorageFault.Action) throws {
            try run(.small, .any, action, every: action == .kill ? 1 : 3)
        }

        @Test func `any write fails`() throws { try run(.small, .write, .inputOutput, every: 4) }

        @Test(arguments: [StorageFault.Action.inputOutput, .noSpace])
        func `any sync fails`(action: StorageFault.Action) throws { try run(.small, .sync, action, every: 1) }

        @Test(arguments: [StorageFault.Action.noSpace, .quota])
        func `the disk is full at any write`(action: StorageFault.Action) throws {
            try run(.small, .write, action, every: action == .quota ? 9 : 4)
        }

        @Test(arguments: [
            (StorageFault.Kind.any, StorageFault.Action.kill), (.any, .torn), (.write, .inputOutput),
            (.sync, .inputOutput), (.write, .noSpace),
        ])
        func `a call fails while checkpoints are written and the log is moved`(
            kind: StorageFault.Kind, action: StorageFault.Action
        ) throws {
            try run(.large, kind, action, every: kind == .sync ? 9 : 1_297)
        }

        /// Three runs at a time, since each mostly waits.
        private func run(
            _ script: FixedScript, _ kind: StorageFault.Kind, _ action: StorageFault.Action, every step: Int
        ) throws {
            let (states, calls) = try script.reference(kind)
            let step = Self.isThorough ? 1 : step
            let first = Int.random(in: 1...step)
            let numbers = Array(stride(from: first, through: calls, by: step))
            print("\(action.rawValue) at \(numbers.count) of \(calls) calls (\(kind.rawValue)), from the \(first).")
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

/// One run of a script in which one call goes wrong.
private final class FaultyRun {
    private let script: FixedScript
    private let states: [String]
    private let fault: StorageFault
    private let directory: ScratchDirectory
    /// How many requests are known to be carried out.
    private var acknowledged = 0
    /// Whether the one after them may have been carried out as well.
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
        // Without a fault: what is there, and the rest of the script.
        let (again, other) = try Daemon.startFailing(nil, in: directory)
        guard let other else { throw Failure("the daemon does not start again: \(again.complaints)") }
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

    /// Carries out what is left of the script, as far as the daemon goes along.
    private func goOn(_ client: RawClient) throws {
        while acknowledged < script.requests.count {
            switch try FixedScript.carryOut(script.requests[acknowledged], client) {
            case .done: acknowledged += 1
            case .refusedAsRepeated:
                guard isNextUnknown else { throw Failure("request \(acknowledged) was carried out before") }
                acknowledged += 1
            case .noSpace:
                // The list is as it was, and there is room at once.
                guard try FixedScript.state(client) == states[acknowledged] else {
                    throw Failure("a transaction that was refused for want of space left something")
                }
                continue
            case .unknown:
                // The witness is written in place, where a full disk is not met.
                let isFull = fault.action == .quota || fault.action == .noSpace && fault.kind == .write
                let failed = StorageFault.calls(in: directory).first { $0.result != "-" }
                if isFull, failed?.file != "witness" { throw Failure("a full disk is no reason to fail") }
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
        case .inputOutput, .noSpace, .quota:
            if isNextUnknown {
                // By itself, with the status that a service manager starts it again for.
                let status = try program.wait()
                guard status == 74 else { throw Failure("it ended with \(status): \(program.complaints)") }
            } else {
                program.signal(SIGTERM)
                let status = try program.wait()
                guard status == 0 || status == 74 else { throw Failure("it ended with \(status)") }
            }
        }
    }

    /// A sync that failed must not be tried again by the same process: it may succeed without what was lost. While the
    /// database is being made there is nothing to lose yet. SQLite passes over a failed sync of the directory that its
    /// log is new in; a log that is lost with that is noticed at the start, by the witness.
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
