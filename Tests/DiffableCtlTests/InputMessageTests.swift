import DiffableInput
import Testing

struct InputMessageTests {
    @Test func `a message names options at a prompt, and keys for a feed`() {
        let message: InputMessage = "use \(.from, "lines"), or name a field with \(.id)"
        #expect(message.text(.options) == "use --from lines, or name a field with --id")
        #expect(message.text(.keys) == "use from: lines, or name a field with id")
        #expect("\(message)" == message.text(.options))
    }

    @Test func `settings keep their names in longer messages, and the text of others stays as it is`() {
        let error = InputError(line: 2, "no field is called \("--id"); use \(.id, ".pid")")
        let message: InputMessage = "rows.csv: \(error)" + "; nothing was changed"
        #expect(message.text(.keys) == "rows.csv: line 2: no field is called --id; use id: .pid; nothing was changed")
        #expect("\(error)" == "line 2: no field is called --id; use --id .pid")
    }
}
