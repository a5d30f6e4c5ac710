import DiffableTerminal
import DiffableView
import Foundation
import Glibc
import TestSupport
import Testing

extension TerminalProcessTests {
    /// Compares frames with tmux, which many people use between program and terminal. It has width tables of its own, and its
    /// own handling of halves of wide characters. `RandomFrameTests` compares with libvterm.
    @Suite(.enabled(if: Tmux.isInstalled, "needs tmux")) struct TmuxFrameTests {
        private static let environment = ProcessInfo.processInfo.environment
        private static let frameCount = environment["DIFFABLED_SOAK"] == nil ? 150 : 5_000

        @Test func `after each frame tmux shows the letters of the grid, and no row is blank that is not`() throws {
            let random =
                Self.environment["DIFFABLED_SEED"].flatMap(UInt64.init).map { SplitMix64(seed: $0) } ?? SplitMix64()
            let (columns, rows) = (60, 12)
            let tmux = try Tmux(rows: rows)
            defer { tmux.end() }
            tmux.run("resize-window", "-t", tmux.pane, "-x", "\(columns)", "-y", "\(rows)")
            let path = NSTemporaryDirectory() + "diffable-frames-\(UInt64.random(in: 0 ... .max))"
            try #require(mkfifo(path, 0o600) == 0)
            defer { unlink(path) }
            tmux.type("stty raw -echo; exec cat \(path)\n")
            let pipe = open(path, O_WRONLY)
            try #require(pipe >= 0)
            defer { close(pipe) }
            var source = RandomGrid(columns: columns, rows: rows, random: random)
            var writer = ScreenWriter(abilities: TerminalAbilities(environment: ["TERM": "tmux-256color"]))
            var bytes = Array("\u{1B}[?1049h\u{1B}[?7l".utf8)
            for frame in 0..<Self.frameCount {
                source.advance()
                bytes += writer.bytes(showing: source.grid)
                bytes += Array("\u{1B}]2;frame \(frame)\u{1B}\\".utf8)
                #expect(write(pipe, bytes, bytes.count) == bytes.count)
                bytes = []
                // The output may end in the middle of a frame.
                let isShown = eventually {
                    tmux.run("display-message", "-p", "-t", tmux.pane, "#{pane_title}") == "frame \(frame)"
                }
                try #require(isShown, "seed \(random.seed): frame \(frame) does not come")
                let shown = try tmux.output("capture-pane", "-p", "-t", tmux.pane).split(
                    separator: "\n", omittingEmptySubsequences: false)
                for row in 0..<rows {
                    let expected = letters(of: source.grid, row: row)
                    let seen = row < shown.count ? String(shown[row]) : ""
                    guard seen.plainLetters == expected else {
                        Issue.record(
                            "seed \(random.seed), frame \(frame), row \(row): \(expected), but it shows \(seen)")
                        return
                    }
                }
            }
        }

        /// Returns the letters with undisputed widths.
        private func letters(of grid: Grid, row: Int) -> String {
            var text = ""
            for column in 0..<grid.columns {
                let cell = grid[row, column]
                if cell.isContinuation { continue }
                text += grid.text(of: cell).plainLetters
            }
            return text
        }
    }
}

extension String {
    /// The text without combining marks: tmux drops a mark after a letter in the last column.
    fileprivate var plainLetters: String {
        String(String.UnicodeScalarView(compactMap(\.unicodeScalars.first).filter { $0.isASCII && $0.value > 0x20 }))
    }
}
