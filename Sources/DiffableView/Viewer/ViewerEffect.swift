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
    /// Opens a list in the viewer next to this one.
    case openBeside(ListName)
    /// Shows a text next to the rows.
    case show(String, title: String)
    /// Runs a command of `ViewerOptions.commands` for an item, which has the terminal until it ends.
    case run(command: Int, PickedItem)
    /// Runs a command in the background instead of the one before. Its output is `ViewerEvent.output` with this number.
    case start(command: Int, PickedItem, number: Int)
    /// Ends the command in the background.
    case stop
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
