import DiffableInput
import Testing

@testable import DiffableFeed

/// Messages for those who write a file name its keys.
@Suite struct FeedWordingTests {
    @Test(arguments: [
        ("say which one does, such as --id .pid", "say which one does, such as id: .pid"),
        (
            "name a field that is unique with --id (now it is .id)",
            "name a field that is unique with id (now it is .id)"
        ),
        ("no field .x, which --section names; did", "no field .x, which section names; did"),
        ("leave the field empty, or say --orphans top", "leave the field empty, or say orphans: top"),
        ("say --from csv, tsv or columns", "say from: csv, tsv or columns"),
        ("if it is a line of text, say --from lines", "if it is a line of text, say from: lines"),
        ("say --from ndjson", "say from: ndjson"),
        ("--separator is for --from csv", "separator is for from: csv"),
        ("dpkg: unknown option --ids", "dpkg: unknown option --ids"),
    ])
    func `options are keys`(said: String, wanted: String) {
        #expect(FeedWording.keys.worded(said) == wanted)
        #expect(FeedWording.options.worded(said) == said)
    }

    @Test func `only what is said of rows is worded, and not what a program says`() {
        let said = "say --id .pid"
        #expect(FeedWording.keys.worded(FeedError(InputError(line: 2, said), at: "it, ")) == "it, line 2: say id: .pid")
        #expect(FeedWording.keys.worded(InputError(said)) == "say id: .pid")
        let complaint = "ps ended with status 1: \(said)"
        #expect(FeedWording.keys.worded(FeedError(complaint)) == complaint)
    }
}
