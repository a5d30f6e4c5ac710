@testable import DiffableTerminal
import DiffableView
import Foundation
import TestSupport
import Testing

/// After each frame, another terminal emulator shows the grid.
@Suite struct RandomFrameTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let frameCount = environment["DIFFABLED_SOAK"] == nil ? 3_000 : 100_000
    private static var random: SplitMix64 {
        environment["DIFFABLED_SEED"].flatMap(UInt64.init).map { SplitMix64(seed: $0) } ?? SplitMix64()
    }

    struct Terminal: CustomTestStringConvertible, Sendable {
        var depth: Palette.Depth
        var synchronizes: Bool
        var erasesWithGround = true

        var testDescription: String {
            "\(depth)\(synchronizes ? ", synchronized" : "")\(erasesWithGround ? "" : ", erases without a ground")"
        }

        var writer: ScreenWriter {
            var abilities = TerminalAbilities()
            abilities.colours = depth
            abilities.erasesWithGround = erasesWithGround
            var writer = ScreenWriter(abilities: abilities)
            writer.synchronizesOutput = synchronizes
            return writer
        }
    }

    @Test(arguments: [
        Terminal(depth: .exact, synchronizes: true), Terminal(depth: .indexed, synchronizes: false),
        Terminal(depth: .sixteen, synchronizes: false, erasesWithGround: false),
        Terminal(depth: .none, synchronizes: true),
    ])
    func `after each frame the terminal shows the grid`(terminal: Terminal) {
        var random = Self.random
        let seed = random.seed
        var frames = 0
        while frames < Self.frameCount / 4 {
            let columns = Int.random(in: 1...60, using: &random)
            let rows = Int.random(in: 1...14, using: &random)
            var source = RandomGrid(columns: columns, rows: rows, random: random)
            let screen = VtermScreen(columns: columns, rows: rows)
            // Remains of another program.
            screen.write(Array("\u{1B}[41mleft over\u{1B}[2;3r".utf8))
            var writer = terminal.writer
            for _ in 0..<100 {
                source.advance()
                let bytes = writer.bytes(showing: source.grid)
                screen.write(bytes)
                frames += 1
                let difference = screen.difference(from: source.grid, palette: writer.palette)
                guard difference == nil else {
                    Issue.record(
                        "seed \(seed), frame \(frames): \(difference!)\n\(String(decoding: bytes, as: UTF8.self).debugDescription)"
                    )
                    return
                }
                if let cursor = source.grid.cursor, 0..<columns ~= cursor.column {
                    #expect(screen.cursor == cursor, "seed \(seed), frame \(frames)")
                }
            }
            random = source.random
        }
    }

    /// A terminal without synchronized output may draw after any of the bytes.
    @Test func `each cell goes from the old frame to the new one without a hole`() {
        let random = Self.random
        var source = RandomGrid(columns: 30, rows: 5, random: random)
        source.scrolls = false
        let screen = VtermScreen(columns: 30, rows: 5)
        var writer = Terminal(depth: .exact, synchronizes: false).writer
        screen.write(writer.bytes(showing: source.grid))
        for frame in 0..<Self.frameCount / 30 {
            let old = source.grid
            source.advance()
            let new = source.grid
            let bytes = writer.bytes(showing: new)
            let move = old.cells.withUnsafeBufferPointer { old in
                new.cells.withUnsafeBufferPointer {
                    RowMove.best(
                        from: CellRows(cells: old, columns: 30), to: CellRows(cells: $0, columns: 30), hint: nil)
                }
            }
            for byte in bytes {
                screen.write([byte])
                guard move == nil else { continue }
                for row in 0..<5 {
                    // Next to a wide cluster that is cut, or a doubtful one, the cell must be blank.
                    let isSimple = (0..<30).allSatisfy { column in
                        [old[row, column], new[row, column]].allSatisfy { $0.width == 1 && !$0.isDoubtful }
                    }
                    guard isSimple else { continue }
                    for column in 0..<30 {
                        let seen = screen.cell(row, column).text
                        let allowed = [old.text(of: old[row, column]), new.text(of: new[row, column])]
                        // A letter is drawn before its mark.
                        let isAllowed = allowed.contains { $0.unicodeScalars.first == seen.unicodeScalars.first }
                        if !isAllowed {
                            Issue.record("seed \(random.seed), frame \(frame), row \(row), column \(column): \(seen)")
                            return
                        }
                    }
                }
            }
            #expect(screen.difference(from: new, palette: writer.palette) == nil, "seed \(random.seed), frame \(frame)")
        }
    }

    @Test func `another size is drawn whole`() {
        var random = Self.random
        let seed = random.seed
        let screen = VtermScreen(columns: 20, rows: 5)
        var writer = Terminal(depth: .exact, synchronizes: true).writer
        for _ in 0..<Self.frameCount / 100 {
            let columns = Int.random(in: 1...80, using: &random)
            let rows = Int.random(in: 1...20, using: &random)
            var source = RandomGrid(columns: columns, rows: rows, random: random)
            screen.resize(columns: columns, rows: rows)
            for _ in 0..<3 {
                source.advance()
                let bytes = writer.bytes(showing: source.grid)
                #expect(!String(decoding: bytes, as: UTF8.self).contains("\u{1B}[2J"))
                screen.write(bytes)
                #expect(screen.difference(from: source.grid, palette: writer.palette) == nil, "seed \(seed)")
            }
            random = source.random
        }
    }
}
