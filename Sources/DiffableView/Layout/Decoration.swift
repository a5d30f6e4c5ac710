import Diffable

/// What is drawn upon the rows and changes with every key: it moves nothing.
package struct Decoration: Sendable {
    /// The row under the cursor.
    package var focused: RowID?
    /// Whether keys go to the rows, and not to a line of text or to another part.
    package var hasKeyboard = true
    package var marked: Set<ItemID> = []
    /// What was changed a moment ago.
    package var changed: Set<ItemID> = []
    /// A row that asks for attention.
    package var flashing: RowID?
    /// Rows that wait for something.
    package var spinning: Set<RowID> = []
    /// Counts up while something spins.
    package var spinnerStep = 0
    /// Of rows that may be out of date.
    package var isDimmed = false
    /// Changes are marked by their sign alone.
    package var reducesMotion = false

    package init() {}
}
