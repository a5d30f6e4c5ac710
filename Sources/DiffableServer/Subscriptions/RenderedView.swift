import Diffable

/// What an audience was shown at one revision: never changed, to be kept by whoever was sent it.
///
/// A class, so that handing it on costs one reference: a snapshot alone has several.
final class RenderedView {
    let id: ID
    let snapshot: Snapshot
    /// The position of the view's window, if it has one.
    let extent: Window.Extent?
    /// The item that is the window's anchor now.
    let anchor: ItemID?
    /// The number of rows in the window; nil without one.
    private let numberOfRows: Int?

    /// What has the same id is the same.
    struct ID: Hashable {
        /// The number of the audience.
        let audience: Int
        /// The list's, when this came to be shown.
        let revision: Int
    }

    init(_ id: ID, _ rows: ShownRows) {
        self.id = id
        switch rows {
        case .all(let rows): (snapshot, extent, anchor, numberOfRows) = (rows, nil, nil, nil)
        case .window(let extract):
            (snapshot, extent) = (extract.snapshot, extract.extent)
            (anchor, numberOfRows) = (extract.anchor, extract.numberOfRows)
        }
    }

    /// The rows as the past of a window's next position.
    var sent: Window.Sent {
        Window.Sent(
            snapshot: snapshot, extent: extent, anchor: anchor, numberOfRows: numberOfRows ?? snapshot.numberOfItems)
    }

    /// The position of a window.
    var position: Window.Position? { extent.map { Window.Position(offset: $0.offset, anchor: anchor) } }
}

/// The rows that a view shows of a list.
enum ShownRows {
    /// Those of a view without a window.
    case all(Snapshot)
    case window(Window.Extract)

    var snapshot: Snapshot {
        switch self {
        case .all(let rows): rows
        case .window(let extract): extract.snapshot
        }
    }

    var extent: Window.Extent? {
        switch self {
        case .all: nil
        case .window(let extract): extract.extent
        }
    }

    /// Whether a window has to begin with an item that is not shown. Then its position is known only to those who were sent it.
    var lacksAnchor: Bool {
        switch self {
        case .all: false
        case .window(let extract): extract.lacksAnchor
        }
    }
}

extension Window? {
    /// The rows of a view with this window, for a subscriber who has been sent nothing.
    func shown(of rows: Snapshot) -> ShownRows { map { .window($0.extract(from: rows)) } ?? .all(rows) }
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
