import ArgumentParser
import Testing

@testable import DiffableInput
@testable import diffablectl

struct PlaceOptionsTests {
    @Test(arguments: [
        (["--front"], "--front means the front of a section or a parent: add --section SECTION or --parent ITEM"),
        ([], "the place is missing: use --before, --after, --section or --parent"),
        (["--front", "--before", "a"], "--before and --after already name the place: leave --front out"),
        (["--section", "s", "--parent", "a"], "only one place can be named"),
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
