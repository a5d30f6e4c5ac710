import ArgumentParser
import Diffable

/// Options for how new the copy of a shared list must be. A command uses them in its first read: on one host, later reads never
/// return an older state.
struct FreshnessOptions: ParsableArguments {
    @Flag(help: "Read the newest state on any host. Default: this host's copy, which may be stale.") var mostRecent =
        false
    @Option(help: ArgumentHelp("Wait until this host has at least this revision.", valueName: "revision"))
    var notOlderThan: Int?

    func validate() throws {
        if mostRecent, notOlderThan != nil {
            throw ValidationError(
                "--most-recent reads the newest state on any host, and --not-older-than waits for a revision on this host; use one "
                    + "of them")
        }
        if let notOlderThan, notOlderThan < 0 {
            throw ValidationError("--not-older-than must be a revision, from 0 on, not \(notOlderThan)")
        }
    }

    var freshness: Freshness { mostRecent ? .mostRecent : notOlderThan.map { .notOlderThan($0) } ?? .any }
}
