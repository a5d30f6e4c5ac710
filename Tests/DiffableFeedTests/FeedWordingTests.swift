import DiffableFeed
import Testing

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
        ("--separator is for --from csv", "separator is for from: csv"),
        ("dpkg: unknown option --ids", "dpkg: unknown option --ids"),
    ])
    func `options are keys`(said: String, wanted: String) {
        #expect(FeedWording.keys.worded(said) == wanted)
        #expect(FeedWording.options.worded(said) == said)
    }
}
