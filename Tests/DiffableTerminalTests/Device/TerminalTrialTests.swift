import Glibc
import TestSupport
import Testing

extension TerminalProcessTests {
    /// The terminal is restored however a program ends.
    @Suite struct TerminalTrialTests {
        private let terminal = PseudoTerminal(columns: 100, rows: 30)

        private func start() throws -> Child {
            let child = try Child(Child.trial, [terminal.path])
            #expect(terminal.waits(for: "ready"))
            #expect(terminal.localFlags & UInt32(ECHO) == 0)
            return child
        }

        /// - Returns: the exit status, or the negative number of the signal.
        private func end(_ child: Child) throws -> Int32 {
            // The program waits a moment for replies, which this terminal does not send.
            let status = try child.wait()
            #expect(terminal.localFlags & UInt32(ECHO | ICANON) == UInt32(ECHO | ICANON))
            #expect(terminal.waits { $0.hasSuffix("\u{1B}[?1049l") })
            #expect(terminal.shownText.contains("\u{1B}[?1002l"))
            return status
        }

        @Test func `a program that ends puts the terminal back`() throws {
            let child = try start()
            terminal.type("q")
            #expect(try end(child) == 0)
        }

        @Test(arguments: [SIGTERM, SIGINT, SIGHUP, SIGQUIT])
        func `a signal is an event, and the program ends by itself`(signal: Int32) throws {
            let child = try start()
            kill(child.processID, signal)
            #expect(try end(child) == 100 + signal)
        }

        @Test func `a program that hangs is ended by the second signal`() throws {
            let child = try start()
            terminal.type("h")
            #expect(terminal.waits(for: "hangs"))
            kill(child.processID, SIGTERM)
            usleep(50_000)
            #expect(child.status() == nil)
            // Two signals before the program runs again are merged.
            let hasEnded = eventually {
                kill(child.processID, SIGTERM)
                usleep(100_000)
                return child.status() != nil
            }
            #expect(hasEnded)
            #expect(try end(child) == -SIGTERM)
        }

        @Test func `a program that crashes puts the terminal back, and has crashed`() throws {
            let child = try start()
            terminal.type("c")
            let status = try end(child)
            #expect([-SIGILL, -SIGTRAP].contains(status))
        }

        @Test func `a program that was stopped and goes on takes the terminal again, and draws all`() throws {
            let child = try start()
            kill(child.processID, SIGSTOP)
            terminal.takeAll()
            terminal.forget()
            kill(child.processID, SIGCONT)
            #expect(terminal.waits(for: "continued"))
            #expect(terminal.shownText.contains("\u{1B}[?1049h"))
            #expect(terminal.shownText.contains("ready"))
            terminal.type("q")
            #expect(try end(child) == 0)
        }

        @Test func `a program whose terminal is gone ends`() throws {
            let child = try start()
            terminal.close()
            #expect(try child.wait() == 99)
        }
    }
}
