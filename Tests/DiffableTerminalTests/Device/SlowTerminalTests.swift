import DiffableTerminal
import DiffableView
import Foundation
import Glibc
import TestSupport
import Testing

extension TerminalProcessTests {
    /// Frames through a pseudo-terminal with a slow reader: the result is the last grid.
    @Suite struct SlowTerminalTests {
        private static let environment = ProcessInfo.processInfo.environment
        private static let frameCount = environment["DIFFABLED_SOAK"] == nil ? 600 : 20_000

        private let abilities = TerminalAbilities(environment: ["TERM": "xterm-256color"])

        /// Acts as `ViewLoop`: no frame while the terminal is behind, the newest one after it has caught up, and other bytes in
        /// between.
        @Test(arguments: [(60, 12), (200, 50)])
        func `a slow reader sees the last grid in the end`(columns: Int, rows: Int) throws {
            var random =
                Self.environment["DIFFABLED_SEED"].flatMap(UInt64.init).map { SplitMix64(seed: $0) } ?? SplitMix64()
            let seed = random.seed
            let terminal = PseudoTerminal(columns: UInt16(columns), rows: UInt16(rows))
            let device = try TerminalDevice(path: terminal.path, abilities: abilities)
            try device.enter(reportsMouse: false)
            defer { device.leave() }
            let screen = VtermScreen(columns: columns, rows: rows)
            var source = RandomGrid(columns: columns, rows: rows, random: random)
            var writer = ScreenWriter(abilities: abilities)
            var shown: Grid?
            var framesLeftOut = 0
            for _ in 0..<Self.frameCount {
                source.advance()
                if device.isBehind {
                    framesLeftOut += 1
                } else {
                    device.write(writer.bytes(showing: source.grid))
                    shown = source.grid
                }
                if Int.random(in: 0..<20, using: &random) == 0 { device.setMouse(isReported: !device.reportsMouse) }
                if Int.random(in: 0..<50, using: &random) == 0 {
                    writer.palette = Palette(
                        depth: .indexed, background: Bool.random(using: &random) ? .white : .black,
                        attributes: abilities.attributes)
                }
                if Int.random(in: 0..<100, using: &random) == 0 { writer.invalidate() }
                // The reader takes so little that the terminal is usually full.
                screen.write(terminal.take(atMost: Int.random(in: 0...400, using: &random)))
                _ = device.wait(timeOut: .zero)
            }
            #expect(framesLeftOut > 0, "seed \(seed): the reader was not slow")
            for round in 0..<2 {
                // The rest of the output, then the newest frame. The kernel may deliver it a little later.
                let end = "\u{1B}]2;end \(round)\u{1B}\\"
                device.write(Array(end.utf8))
                var bytes: [UInt8] = []
                let isThere = eventually {
                    _ = device.wait(timeOut: .milliseconds(1))
                    bytes += terminal.take(atMost: 1 << 16)
                    return bytes.suffix(end.utf8.count).elementsEqual(end.utf8)
                }
                #expect(
                    isThere,
                    "seed \(seed): the end does not come, \(bytes.count) bytes, behind: \(device.isBehind)")
                screen.write(bytes)
                let difference = shown.flatMap { screen.difference(from: $0, palette: writer.palette) }
                // A palette that arrived after the frame shows in the next one.
                if round == 1 { #expect(difference == nil, "seed \(seed): \(difference ?? "")") }
                device.write(writer.bytes(showing: source.grid))
                shown = source.grid
            }
        }
    }
}
