import ArgumentParser
import Diffable

/// Options for how new a list is to be that hosts share. Each is said in a command's first read: on one host nothing older
/// comes after it.
struct FreshnessOptions: ParsableArguments {
    @Flag(help: "Read the newest state on any host. Default: this host's copy, which may be stale.") var mostRecent =
        false
    @Option(help: ArgumentHelp("Wait until this host has at least this revision.", valueName: "revision"))
    var notOlderThan: Int?

    func validate() throws {
        if mostRecent, notOlderThan != nil {
            throw ValidationError("--most-recent and --not-older-than cannot be combined")
        }
        if let notOlderThan, notOlderThan < 0 {
            throw ValidationError("--not-older-than is a revision, from 0 on, not \(notOlderThan)")
        }
    }

    var freshness: Freshness { mostRecent ? .mostRecent : notOlderThan.map { .notOlderThan($0) } ?? .any }
}
