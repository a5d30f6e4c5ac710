import Diffable

/// What an audience was shown at one revision: never changed, to be kept by whoever was sent it.
///
/// A class, so that handing it on costs one reference: a snapshot alone has several.
final class Shown {
    let id: ID
    let snapshot: Snapshot
    /// Where the view's window lies, if it has one.
    let extent: Window.Extent?

    /// What has the same id is the same.
    struct ID: Hashable {
        /// The number of the audience.
        let audience: Int
        /// The list's, when this came to be shown.
        let revision: Int
    }

    init(_ id: ID, _ snapshot: Snapshot, _ extent: Window.Extent? = nil) {
        self.id = id
        self.snapshot = snapshot
        self.extent = extent
    }
}

/// What a subscriber has, after the last group that it was sent.
struct Sent {
    var shown: Shown
    /// What the group said. What is shown may be older than that: a revision that changes nothing in a view is not sent.
    var revision: Int
}
