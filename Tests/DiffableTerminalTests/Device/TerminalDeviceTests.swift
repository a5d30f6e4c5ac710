import DiffableTerminal
import DiffableView
import Foundation
import Glibc
import TestSupport
import Testing

/// Serialized, because signals belong to the whole process, and a child must have a terminal of its own.
@Suite(.serialized) struct TerminalProcessTests {}

extension TerminalProcessTests {
    @Suite struct TerminalDeviceTests {
        private let terminal = PseudoTerminal(columns: 100, rows: 30)
        private let abilities = TerminalAbilities(environment: ["TERM": "xterm-256color"])

        private func device() throws -> TerminalDevice { try TerminalDevice(path: terminal.path, abilities: abilities) }

        @Test func `a terminal is taken, and put back as it was`() throws {
            let before = terminal.localFlags
            #expect(before & UInt32(ECHO) != 0)
            let device = try device()
            try device.enter()
            #expect(terminal.localFlags & UInt32(ECHO | ICANON | ISIG) == 0)
            device.leave()
            #expect(terminal.localFlags == before)
            // A second call does no harm.
            device.leave()
            // Input is echoed again, after all output.
            terminal.type("end")
            #expect(terminal.waits(for: "end"))
            let modes = device.modes
            #expect(
                terminal.shown == modes.enteringBytes(reportsMouse: true) + modes.leavingBytes + Array("end".utf8))
        }

        @Test func `a terminal that nobody needs any more is put back`() throws {
            let before = terminal.localFlags
            do {
                let device = try device()
                try device.enter()
                #expect(terminal.localFlags != before)
            }
            #expect(terminal.localFlags == before)
        }

        @Test(arguments: ["/dev/null", "/nowhere/at/all"])
        func `what is no terminal is refused`(path: String) {
            #expect(throws: TerminalError.self) { try TerminalDevice(path: path, abilities: abilities) }
        }

        @Test func `keys, text and replies come as events`() throws {
            let device = try device()
            try device.enter()
            defer { device.leave() }
            terminal.type("é\u{1B}[A")
            #expect(device.wait() == [.input(.key(KeyPress(.character("é"))))])
            #expect(device.wait() == [.input(.key(KeyPress(.up)))])
            terminal.type("\u{1B}")
            #expect(device.wait() == [.input(.key(KeyPress(.escape)))])
            device.sendQueries()
            terminal.type("\u{1B}]11;rgb:ffff/ffff/ffff\u{1B}\\\u{1B}[?62c")
            #expect(device.wait() == [.input(.reply(.background(.white)))])
            #expect(device.wait() == [.input(.reply(.attributes([62])))])
        }

        @Test func `what is typed behind a key is for the program that the key starts`() throws {
            let device = try device()
            try device.enter()
            terminal.type("e\u{1B}[Bdear\n")
            #expect(device.wait() == [.input(.key(KeyPress(.character("e"))))])
            device.leaveForChild()
            let child = open(terminal.path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
            defer { close(child) }
            var bytes = [UInt8](repeating: 0, count: 64)
            let isThere = eventually {
                let count = read(child, &bytes, bytes.count)
                if count > 0 { bytes.removeLast(bytes.count - count) }
                return count > 0
            }
            #expect(isThere && String(decoding: bytes, as: UTF8.self) == "\u{1B}[Bdear\n")
        }

        @Test func `another size comes as an event, once`() throws {
            let device = try device()
            try device.enter()
            defer { device.leave() }
            #expect(device.size == TerminalSize(columns: 100, rows: 30))
            terminal.resize(columns: 40, rows: 10)
            // The signal is sent to this thread, so it is noticed when `raise` returns. One for the process may arrive much
            // later.
            var size = sigset_t()
            sigemptyset(&size)
            sigaddset(&size, SIGWINCH)
            pthread_sigmask(SIG_UNBLOCK, &size, nil)
            for _ in 0..<2 { raise(SIGWINCH) }
            #expect(device.wait() == [.resized(TerminalSize(columns: 40, rows: 10))])
            #expect(device.wait(timeOut: .zero) == [])
        }

        @Test func `the mouse is reported as long as somebody wants it`() throws {
            let device = try device()
            try device.enter(reportsMouse: false)
            defer { device.leave() }
            device.setMouse(isReported: true)
            device.setMouse(isReported: false)
            #expect(terminal.waits(for: "\u{1B}[?1006l\u{1B}[?1002l"))
            let entering = device.modes.enteringBytes(reportsMouse: false)
            #expect(!String(decoding: entering, as: UTF8.self).contains("1002h"))
            let mouse = "\u{1B}[?1002h\u{1B}[?1006h\u{1B}[?1006l\u{1B}[?1002l"
            #expect(terminal.shown == entering + Array(mouse.utf8))
        }

        @Test func `a loop is woken from elsewhere`() throws {
            let device = try device()
            try device.enter()
            defer { device.leave() }
            let waker = device.waker
            Thread.detachNewThread {
                waker.wake()
                waker.wake()
            }
            #expect(device.wait() == [.woken])
        }

        /// A frame for a terminal that takes nothing waits, the ones after it are skipped, and nothing hangs.
        @Test func `a terminal that takes nothing holds up nobody`() throws {
            let device = try device()
            try device.enter()
            let frame = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
            device.write(frame)
            #expect(device.isBehind)
            #expect(device.wait(timeOut: .milliseconds(20)) == [])

            let waker = device.waker
            let count = frame.count
            terminal.forget()
            Thread.detachNewThread { [terminal = Unchecked(terminal)] in
                while terminal.value.shown.count < count { terminal.value.takeAll(pause: 1000) }
                waker.wake()
            }
            var events: [TerminalEvent] = []
            // The room may appear a moment after the read returns.
            let isTaken = eventually {
                events += device.wait(timeOut: .seconds(10))
                return events.contains(.woken) && !device.isBehind
            }
            #expect(isTaken)
            #expect(events.filter { $0 == .caughtUp }.count == 1)

            // The end must not wait for a reader either.
            device.write(frame)
            let rescue = Rescue { [terminal = Unchecked(terminal)] in
                while terminal.value.localFlags & UInt32(ECHO) == 0 { terminal.value.takeAll(pause: 1000) }
            }
            device.leave()
            #expect(!rescue.end())
            #expect(terminal.localFlags & UInt32(ECHO) != 0)
        }

        @Test func `without events and timers nothing wakes`() throws {
            let device = try device()
            try device.enter()
            defer { device.leave() }
            // The pending escape sequence has ended.
            terminal.type("\u{1B}")
            #expect(device.wait() == [.input(.key(KeyPress(.escape)))])
            let waker = device.waker
            let tally = WakeTally()
            Thread.detachNewThread {
                usleep(1_500_000)
                waker.wake()
            }
            #expect(device.wait() == [.woken])
            #expect(tally.isOfOneWhoSleeps)
        }

        /// Fractions of a second: for `poll`, a negative time would mean forever.
        @Test(arguments: [0, 1, 2, 3, 20, 999, 1_500])
        func `a time that has passed is not waited for`(milliseconds: Int) throws {
            let device = try device()
            try device.enter()
            defer { device.leave() }
            let waker = device.waker
            let rescue = Rescue { waker.wake() }
            #expect(device.wait(timeOut: .milliseconds(-milliseconds)) == [])
            #expect(!rescue.end())
        }

        @Test func `a terminal that is gone is said once, and does not wake again`() throws {
            let device = try device()
            try device.enter()
            terminal.close()
            #expect(device.wait().contains(.hungUp))
            device.write(Array("nobody reads this".utf8))
            #expect(!device.isBehind)
            let tally = WakeTally()
            #expect(device.wait(timeOut: .milliseconds(1_500)) == [])
            #expect(tally.isOfOneWhoSleeps)
            device.leave()
        }
    }
}

/// The number of this thread's voluntary context switches.
private struct WakeTally: CustomTestStringConvertible {
    private let start = ContinuousClock.now
    private let before = Self.wakeUps()

    /// Whether the thread sleeps: less than one switch in 100 ms. Polling every 50 ms makes two, and busy waiting thousands; the
    /// kernel and locks add a few.
    var isOfOneWhoSleeps: Bool {
        Duration.milliseconds(100) * (Self.wakeUps() - before) < ContinuousClock.now - start
    }

    var testDescription: String { "\(Self.wakeUps() - before) times in \(ContinuousClock.now - start)" }

    private static func wakeUps() -> Int {
        let status = (try? String(contentsOfFile: "/proc/thread-self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches") }
        return line.flatMap { Int($0.split(whereSeparator: \.isWhitespace).last!) } ?? 0
    }
}

/// A value that one thread uses while another one waits for it.
struct Unchecked<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
