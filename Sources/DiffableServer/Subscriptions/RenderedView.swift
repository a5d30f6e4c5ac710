import Diffable

/// What an audience was shown at one revision: never changed, to be kept by whoever was sent it.
///
/// A class, so that handing it on costs one reference: a snapshot alone has several.
final class RenderedView {
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
struct DeliveredState {
    var shown: RenderedView
    /// What the group said. What is shown may be older than that: a revision that changes nothing in a view is not sent.
    var revision: Int
}

extension RenderedView {
    /// Whether operations on the list that a window is over leave it as it is. They may where they may not.
    func isUntouched(by operations: [ListOperation]) -> Bool {
        operations.allSatisfy { operation in
            switch operation {
            case .reconfigureItems(let changes): changes.allSatisfy { !snapshot.contains($0.id) }
            case .reloadItems(let reloads): reloads.allSatisfy { !snapshot.contains($0.id) }
            case .reloadSections(let reloads): reloads.allSatisfy { !snapshot.contains($0.id) }
            case .expandItems(let ids), .collapseItems(let ids): ids.allSatisfy { !snapshot.contains($0) }
            default: false
            }
        }
    }
}
