import Diffable

/// An effect that a viewer requests. It never waits for any of them.
package enum ViewerEffect: Equatable, Sendable {
    /// Sets a list's view, in the form of docs/protocol-views.md.
    case setView(list: Int, json: String, queryNumber: Int)
    /// Follows another list, which gets this index.
    case follow(ListName, list: Int)
    /// Follows the set of lists for the home screen, which gets this index.
    case followLists(list: Int)
    case request(ViewerRequest)
    case copy(String)
    case edit(list: Int, ItemID)
    case reportMouse(Bool)
    case suspend
    /// Describes `Viewer.previewedItem`, if there is one. The answer is `ViewerEvent.preview` with this number.
    case preview(number: Int)
    case redraw
    /// Quits with the picked items; nil if nothing was picked.
    case quit(picked: [ItemID]?)
}

package struct ViewerRequest: Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        case perform(action: String, items: [ItemID], section: SectionID?, arguments: String?)
        case transact(operations: String)
        case propose(operations: String)
        case expand(ItemID)
        /// Restores the revision before one of this user's changes, if the list is at `ifRevision`.
        case undo(to: Int, ifRevision: Int)
        /// Restores the revision of an undone change, if the list is at `ifRevision`.
        case redo(to: Int, ifRevision: Int)
    }

    package var number: Int
    package var list: Int
    package var revision: Int
    package var kind: Kind
    package var title: String

    package init(number: Int, list: Int, revision: Int = 0, _ kind: Kind, title: String = "") {
        self.number = number
        self.list = list
        self.revision = revision
        self.title = title
        self.kind = kind
    }
}
