import Diffable
import DiffableClient
import DiffableInput

/// Where the rows of a feed come from: a command, a database, a directory.
///
/// A source is run, brings states as long as it has any, and says nothing about when it runs again: that is for its pace
/// (`FeedSchedule`), which is told how the run ended. A source that follows something by itself, such as a stream, has one run
/// that lasts until it fails; one that looks once has one state in each run. Runs of one feed never overlap.
package protocol FeedSource: Sendable {
    var pace: FeedSchedule.Pace { get }
    /// Absolute paths whose changes let it run again between its times; none for one that watches by itself.
    var watchedPaths: [String] { get }
    /// What the list answers while the feed runs; nil: nothing.
    var handler: ListHandler? { get }
    /// Takes up what the list has been fed before, as far as it says what is to be brought. It is called once, when there is a first
    /// state; returns when there is one with all of that.
    func resume(_ list: Snapshot) async
    /// Brings states until there are no more, until it fails, or until the task is cancelled; then all that it started has
    /// ended, too.
    ///
    /// - Parameter deliver: takes a state without waiting. Of states that nobody has sent yet only the newest counts, and
    ///   items are put together.
    /// - Throws: `FeedError` for what the list `feeds` is to say; the list that is fed stays as it is then.
    func run(_ deliver: @escaping @Sendable (FeedState) -> Void) async throws
}

extension FeedSource {
    package var handler: ListHandler? { nil }
    package func resume(_ list: Snapshot) async {}
}

/// What a source brings.
package enum FeedState: Sendable {
    /// All that is to be in the list.
    case whole(Input)
    /// The same, with nothing expanded: a snapshot that shares with the one before it what did not change.
    case snapshot(Snapshot)
    /// All that it could bring, and why that is not all, or not kept up to date.
    case incomplete(Input, FeedError)
    /// Items that are added to the list, or changed in it.
    case items(Input)
    /// Why it can bring nothing at the moment, of a source that goes on looking by itself. The next state ends that.
    case failure(FeedError)
    /// Why it does not hear of changes, of a source that looks from time to time then; nil: it hears of them again.
    case blindness(String?)
}

/// Why a feed's list is not brought up to date, in a sentence for people.
package struct FeedError: Error, Equatable, CustomStringConvertible {
    package var description: String
    /// Whether it is about the rows, and names the options of the prompt that say how they are read.
    let namesOptions: Bool

    package init(_ description: String) {
        self.description = description
        namesOptions = false
    }

    /// - Parameter place: what stands before it.
    init(_ error: InputError, at place: String = "") {
        description = "\(place)\(error)"
        namesOptions = true
    }
}
