import DiffableTerminal
import DiffableView
import Glibc

/// A full-screen program for the tests of `DiffableTerminal`, which stop, kill and crash it. It shows its events, one a row. `q`
/// ends it, `z` stops it, `c` crashes it, and after `h` it ignores events.
@main struct TerminalTrial {
    let device: TerminalDevice
    var writer: ScreenWriter
    var grid: Grid
    var lines = ["ready", "process \(getpid())"]

    /// `TerminalTrial TERMINAL [TEXT…]`: draws the texts between two straight lines.
    static func main() throws {
        var environment: [String: String] = [:]
        for name in ["TERM", "COLORTERM", "NO_COLOR", "LANG", "LC_ALL"] {
            environment[name] = getenv(name).map { String(cString: $0) }
        }
        let abilities = TerminalAbilities(environment: environment)
        let device = try TerminalDevice(path: CommandLine.arguments[1], abilities: abilities)
        try device.enter()
        var trial = TerminalTrial(
            device: device, writer: ScreenWriter(abilities: abilities), grid: Grid(columns: 1, rows: 1))
        trial.draw()
        device.sendQueries()
        try trial.run()
    }

    private mutating func run() throws {
        while true {
            for event in device.wait() {
                switch event {
                case .input(.key(KeyPress(.character("q")))): return device.leave()
                case .input(.key(KeyPress(.character("z")))), .suspensionRequested: try device.suspend()
                case .input(.key(KeyPress(.character("c")))): preconditionFailure("This crash is asked for.")
                case .input(.key(KeyPress(.character("h")))):
                    lines.append("hangs")
                    draw()
                    while true { sleep(1000) }
                case .terminationRequested(let signal):
                    device.leave()
                    exit(100 + signal)
                case .hungUp: exit(99)
                case .input(.reply(.mode(2026, let setting))): writer.synchronizesOutput = setting.isKnown
                case .continued, .resized: writer.invalidate()
                default: break
                }
                lines.append("\(event)".replacing(#/\w+\.|\w+: /#, with: ""))
            }
            draw()
        }
    }

    private mutating func draw() {
        guard !device.isBehind else { return }
        let size = device.size
        var next = Grid(columns: size.columns, rows: size.rows, after: grid)
        for (row, text) in CommandLine.arguments.dropFirst(2).enumerated() {
            next.put("▌", row: row, column: 0, Style(.tertiary))
            next.put(text, row: row, column: 2, limit: 30, Style())
            next.put("#", row: row, column: 30, Style(.text, on: .badge))
        }
        for (row, line) in lines.suffix(size.rows).enumerated() {
            next.put(line, row: row, column: 34, Style(.secondary))
        }
        next.cursor = Grid.Position(column: 0, row: 0)
        grid = next
        device.write(writer.bytes(showing: grid))
    }
}
