import Diffable

/// What a viewer wants done. It never waits for any of it.
package enum ViewerEffect: Equatable, Sendable {
    /// A view of a list, as docs/protocol.md has it, from now on.
    case setView(list: Int, json: String, queryNumber: Int)
    case request(ViewerRequest)
    /// Into the clipboard.
    case copy(String)
    /// An item's content in an editor.
    case edit(list: Int, ItemID)
    case reportMouse(Bool)
    case suspend
    case redraw
    /// With what was picked; nil when nothing was.
    case quit(picked: [ItemID]?)
}

package struct ViewerRequest: Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        case perform(action: String, items: [ItemID], section: SectionID?, arguments: String?)
        /// Operations as JSON.
        case transact(operations: String)
        case propose(operations: String)
        case expand(ItemID)
        /// Back to the revision before one's own change, if the list has this one.
        case undo(to: Int, ifRevision: Int)
        /// Restores the revision of an undone change, if the list is at `ifRevision`.
        case redo(to: Int, ifRevision: Int)
    }

    package var number: Int
    package var list: Int
    /// The list's newest known revision.
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
