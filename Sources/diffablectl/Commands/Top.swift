import ArgumentParser
import DiffableClient
import DiffableInput

struct Top: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show transactions, deliveries and bytes per second, by list and by client.",
        discussion: """
            On a terminal, the figures are updated until you interrupt the command; otherwise they are printed once. \
            The bytes of a list are those sent to its subscribers. The bytes of a client are those in both directions.
            """)

    @Option(help: ArgumentHelp("The length of each measurement.", valueName: "seconds"))
    var interval = 1.0
    @Flag(help: "Print one measurement and exit.") var once = false
    @Flag(help: "Print JSON.") var json = false
    @OptionGroup var daemon: DaemonOptions

    func validate() throws {
        guard 0.1...3_600 ~= interval else {
            throw ValidationError("--interval must be 0.1 to 3600 seconds, not \(interval)")
        }
    }

    func run() async throws {
        let isOnTerminal = Terminal.standardOutput.width != nil
        StandardStreams.exitWhenOutputCloses()
        try await daemon.withReadOnlyConnection { connection in
            var before = try await Sample(connection)
            repeat {
                try await Task.sleep(for: .seconds(interval))
                let now = try await Sample(connection)
                draw(Rates(from: before, to: now), redrawing: isOnTerminal && !once)
                before = now
            } while !once && isOnTerminal
        }
    }

    private func draw(_ rates: Rates, redrawing: Bool) {
        var output = StandardOutput()
        if json {
            output.json(rates.json.utf8)
        } else if redrawing {
            let terminal = Terminal.standardOutput
            // Moves the cursor home, clears the rest of each line, and clears all lines below.
            let shown = rates.lines.prefix(max(1, (terminal.height ?? .max) - 1))
            output.append("\u{1B}[H".utf8)
            for line in shown { output.append((harmless(terminal.fitting(line, fromColumn: 0)) + "\u{1B}[K\n").utf8) }
            output.append("\u{1B}[J".utf8)
        } else {
            for line in rates.lines { output.line(line) }
        }
        output.flush()
    }
}
