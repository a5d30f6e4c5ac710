import Diffable

/// The rows that an audience was shown at one revision. Immutable, and kept as long as a subscriber has them.
///
/// A class, so that passing it on costs one reference count: a snapshot alone has several.
final class RenderedView {
    let id: ID
    let snapshot: Snapshot
    /// The position of the view's window, if it has one.
    let extent: Window.Extent?
    /// The item that is the window's anchor now.
    let anchor: ItemID?
    /// All rows, if the window's next position depends on them.
    let rows: Snapshot?

    /// Two views with the same id are the same.
    struct ID: Hashable {
        /// The number of the audience.
        let audience: Int
        /// The list's revision at which this was first shown.
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

    /// The rows as history for the window's next position; nil for a window whose other rows are not known.
    var sent: Window.Sent? {
        guard let extent else { return Window.Sent(rows: snapshot, offset: 0, anchor: nil) }
        return rows.map { Window.Sent(rows: $0, offset: extent.offset, anchor: anchor) }
    }

    /// The position of a window.
    var position: Window.Position? { extent.map { Window.Position(offset: $0.offset, anchor: anchor) } }
}

/// The rows that a view shows of a list.
enum ShownRows {
    /// All rows of a view without a window.
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

    /// Whether a window has to begin with an item that is not shown. Then only subscribers that were sent the item know
    /// its position.
    var lacksAnchor: Bool {
        switch self {
        case .all: false
        case .window(let extract): extract.lacksAnchor
        }
    }
}

extension Window? {
    /// Returns the rows of a view with this window, for a subscriber that has been sent nothing.
    func shown(of rows: Snapshot) -> ShownRows { map { .window($0.extract(from: rows)) } ?? .all(rows) }
}

/// The state of a subscriber after the last complete update.
struct DeliveredState {
    var shown: RenderedView
    /// The revision that the update named. The rows may be older: a revision that changes nothing in a view is not
    /// sent.
    var revision: Int
}

extension RenderedView {
    /// Whether operations on the list leave its window as it is. A `false` may be a false alarm.
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
