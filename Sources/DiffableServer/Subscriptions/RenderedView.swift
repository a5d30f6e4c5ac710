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
    /// All rows, if the window's next position depends on them.
    let rows: Snapshot?

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
        case .all(let rows): (snapshot, extent, anchor, self.rows) = (rows, nil, nil, nil)
        case .window(let extract):
            (snapshot, extent) = (extract.snapshot, extract.extent)
            (anchor, self.rows) = (extract.anchor, extract.rows)
        }
    }

    /// The rows as the past of a window's next position; nil for a part of which the other rows are not known.
    var sent: Window.Sent? {
        guard let extent else { return Window.Sent(rows: snapshot, offset: 0, anchor: nil) }
        return rows.map { Window.Sent(rows: $0, offset: extent.offset, anchor: anchor) }
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
            case .expandItems(let ids), .collapseItems(let ids), .foldItems(let ids), .unfoldItems(let ids):
                ids.allSatisfy { !snapshot.contains($0) }
            default: false
            }
        }
    }
}
