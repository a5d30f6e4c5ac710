import Diffable
import DiffableClient
import DiffableInput

/// A source of a list's items: a command, a URL, a database, a directory, systemd units. A run delivers states and then
/// ends. The schedule (`FeedSchedule`) decides when the next run starts. A source that follows changes itself, such as a
/// stream, has one run that lasts until it fails. Runs of one feed never overlap.
package protocol FeedSource: Sendable {
    var runMode: FeedSchedule.RunMode { get }
    /// Absolute paths whose changes start a run; empty if the source watches by itself.
    var watchedPaths: [String] { get }
    /// Whether a run lasts until it fails, because the source follows changes itself.
    var isEndless: Bool { get }
    var handler: ListHandler? { get }
    /// Continues from the state that the list had before, such as open folders. It is called once, after the first state, and
    /// returns when a state with all of that has been delivered.
    func resume(_ list: Snapshot) async
    /// Delivers states until there are no more, the run fails, or the task is cancelled. Everything that the run started has
    /// ended when it returns.
    ///
    /// - Parameter deliver: takes a state without waiting. If states wait to be sent, only the newest is sent, and items are
    ///   combined.
    /// - Throws: `FeedError`, which the list `feeds` shows. The feed's list then stays as it is.
    func run(_ deliver: @escaping @Sendable (FeedState) -> Void) async throws
}

extension FeedSource {
    package var isEndless: Bool { runMode == .stream }
    package var handler: ListHandler? { nil }
    package func resume(_ list: Snapshot) async {}
}

package enum FeedState: Sendable {
    case whole(Input)
    /// The complete list with nothing expanded. The snapshot shares memory with the one before it.
    case snapshot(Snapshot)
    /// An incomplete list, or one that is not kept up to date, and the reason.
    case incomplete(Input, FeedError)
    case change(StreamedChange)
    /// Why a source that watches by itself can deliver nothing at the moment. The next state clears it.
    case failure(FeedError)
    /// Why a source notices no changes and polls instead; nil: it notices them again.
    case blindness(String?)
}

/// One change by a stream that brings items.
package enum StreamedChange: Sendable {
    /// Adds or changes items.
    case merge(Input)
    /// Deletes an item with its children.
    case removal(ItemID)
}

/// Why a feed's list is not up to date, as a sentence for users.
package struct FeedError: Error, Equatable, CustomStringConvertible {
    let message: InputMessage

    package var description: String { message.description }

    package init(_ description: String) { message = InputMessage(description) }

    /// `place` is the beginning of the message.
    init(_ error: InputError, at place: String = "") { message = "\(place)\(error)" }
}

extension SettingNames {
    package func text(of error: any Error) -> String {
        switch error {
        case let error as FeedError: error.message.text(self)
        case let error as InputError: error.message.text(self)
        default: "\(error)"
        }
    }
}
