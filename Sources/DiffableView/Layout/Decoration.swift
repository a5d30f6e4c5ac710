import Diffable

/// Marks on the rows that may change with every key and never affect the layout.
package struct Decoration: Sendable {
    package var focused: RowID?
    /// Whether keys act on the rows, and not on a line of text or another part.
    package var hasKeyboard = true
    /// Whether keys are for this list, and not for another one next to it.
    package var hasFocus = true
    /// Whether the status line is drawn, which lists side by side share.
    package var showsStatus = true
    package var marked: Set<ItemID> = []
    package var changed: [ItemID: ChangeMark] = [:]
    package var flashing: RowID?
    /// The row that is dragged.
    package var dragged: RowID?
    package var insertion: Insertion?
    package var spinning: Set<RowID> = []
    /// Increases while a spinner is visible.
    package var spinnerStep = 0
    /// The words of a search, which are highlighted in the rows.
    var sought: [FuzzyWord] = []
    /// Whether a word's letters may be apart.
    var seeksLetters = false
    /// Whether the rows may be out of date.
    package var isDimmed = false
    package var reducesMotion = false
    /// Whether the terminal's cursor is on the selected choice or row while no text is typed.
    package var showsCursor = true

    package init() {}

    /// The place where a dragged row would be dropped.
    package struct Insertion: Equatable, Sendable {
        package enum Side: String, Sendable { case before, after }

        package var row: RowID
        package var side: Side

        package init(_ side: Side, _ row: RowID) { (self.row, self.side) = (row, side) }
    }
}
