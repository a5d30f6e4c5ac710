import ArgumentParser
import DiffableInput

struct AnswerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How long to wait for the handler's reply: 30s, 500ms, 2m; at most 10m. Default: 30s.", valueName: "time"
        ))
    var timeout: TimeSpan?

    func validate() throws {
        if let timeout, !(.milliseconds(1) ... .seconds(600)).contains(timeout.duration) {
            throw ValidationError("--timeout must be 1ms to 10m, not \(timeout)")
        }
    }
}
