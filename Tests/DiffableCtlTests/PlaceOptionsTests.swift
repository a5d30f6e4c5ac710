import ArgumentParser
import Testing

@testable import diffablectl

struct PlaceOptionsTests {
    @Test(arguments: [
        (["--front"], "--front is the front of a --section or of a --parent: name one"),
        ([], "say where: --before or --after an item, into a --section or under a --parent"),
        (["--front", "--before", "a"], "--front is for --section and --parent"),
        (["--section", "s", "--parent", "a"], "one place only"),
    ])
    func `a place that is not one is refused with what to say instead`(arguments: [String], message: String) {
        do {
            _ = try PlaceOptions.parse(arguments)
            Issue.record("taken")
        } catch {
            #expect(PlaceOptions.message(for: error).contains(message))
        }
    }
}
