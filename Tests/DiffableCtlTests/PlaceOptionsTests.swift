import ArgumentParser
import Testing

@testable import DiffableInput
@testable import diffablectl

struct PlaceOptionsTests {
    @Test(arguments: [
        (["--front"], "--front is the front of a --section or of a --parent: name one"),
        ([], "say where: --before or --after an item, into a --section or under a --parent"),
        (["--front", "--before", "a"], "--front is for --section and --parent"),
        (["--section", "s", "--parent", "a"], "one place only"),
    ])
    func `a place that is not one is refused with what to say instead`(
        arguments: [String], message: String
    ) async {
        do {
            _ = try await Insert.asyncParse(["tasks", "milk"] + arguments)
            Issue.record("taken")
        } catch {
            #expect(Insert.message(for: error).contains(message))
        }
    }
}
