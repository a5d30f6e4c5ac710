import Foundation
import Glibc
import TestSupport
import Testing

extension TerminalProcessTests {
    /// In a terminal that many use, with a shell in it.
    @Suite(.enabled(if: Tmux.isInstalled, "needs tmux")) struct TmuxTests {
        /// Text after a difficult text is in its column, as tmux counts columns.
        @Test func `columns behind difficult texts are straight`() throws {
            let tmux = try Tmux(rows: DifficultTexts.all.count + 5)
            defer { tmux.end() }
            let texts = DifficultTexts.all.map { "'\($0)'" }.joined(separator: " ")
            tmux.type("exec \(Child.trial) $(tty) \(texts)\n")
            #expect(tmux.waits { $0.count { $0 == "#" } == DifficultTexts.all.count })
            tmux.run("copy-mode", "-t", tmux.pane)
            // The cursor moves from mark to mark, and tmux reports its column.
            tmux.run("send-keys", "-t", tmux.pane, "-X", "history-top")
            for row in DifficultTexts.all.indices {
                tmux.run("send-keys", "-t", tmux.pane, "-X", "search-forward-text", "#")
                let place = tmux.run("display-message", "-p", "-t", tmux.pane, "#{copy_cursor_x} #{copy_cursor_y}")
                // The cursor is after the match.
                #expect(place == "31 \(row)", "\(DifficultTexts.all[row])")
            }
        }

        @Test func `a stopped program gives the shell its terminal, and takes it again`() throws {
            let tmux = try Tmux(rows: 24)
            defer { tmux.end() }
            tmux.type("\(Child.trial) $(tty)\n")
            #expect(tmux.waits { $0.contains("ready") })
            tmux.type("z")
            #expect(tmux.waits { $0.contains("Stopped") })
            tmux.type("echo shell $((40 + 2)); stty -a | tr ' ' '\\n' | grep -x -e echo -e icanon\n")
            #expect(tmux.waits { $0.contains("shell 42\necho\nicanon") || $0.contains("shell 42\nicanon\necho") })
            #expect(!tmux.screen.contains("ready"))
            tmux.type("fg\n")
            #expect(tmux.waits { $0.contains("ready") && $0.contains("continued") })
            tmux.type("q")
            #expect(tmux.waits { $0.contains("shell 42") && !$0.contains("ready") })
        }

        @Test func `a program that is ended while it is stopped leaves the shell its terminal`() throws {
            let tmux = try Tmux(rows: 24)
            defer { tmux.end() }
            tmux.type("\(Child.trial) $(tty)\n")
            // The terminal answers when it has all of the first frame. A partial number would be another process.
            #expect(tmux.waits { $0.contains("process") && $0.contains("attributes") })
            let line = try #require(tmux.screen.firstMatch(of: #/process (\d+)/#))
            let processID = try #require(pid_t(line.output.1))
            kill(processID, SIGSTOP)
            #expect(tmux.waits { $0.contains("Stopped") })
            tmux.type("stty sane; kill %1\n")
            // The shell may need some time to notice.
            #expect(eventually { hasEnded(processID) })
            tmux.type("stty -a | tr ' ' '\\n' | grep -c -x -e echo -e icanon\n")
            #expect(tmux.waits { $0.contains("\n2\n") })
        }

        private func hasEnded(_ processID: pid_t) -> Bool {
            let status = (try? String(contentsOfFile: "/proc/\(processID)/status", encoding: .utf8)) ?? "(zombie)"
            return status.contains("(zombie)")
        }

        @Test func `keys, another size and replies arrive`() throws {
            let tmux = try Tmux(rows: 24)
            defer { tmux.end() }
            tmux.type("\(Child.trial) $(tty)\n")
            #expect(tmux.waits { $0.contains("ready") && $0.contains("attributes") })
            tmux.run("send-keys", "-t", tmux.pane, "Up", "C-d", "M-x", "F5", "ü")
            #expect(tmux.waits { $0.contains("up") && $0.contains("function(5)") && $0.contains("00FC") })
            tmux.run("resize-window", "-t", tmux.pane, "-x", "90", "-y", "20")
            #expect(tmux.waits { $0.contains("resized(TerminalSize(90, 20))") })
            tmux.type("q")
        }
    }
}
