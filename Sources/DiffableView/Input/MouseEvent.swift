/// A mouse event at a cell; columns and rows are counted from 0.
package struct MouseEvent: Equatable, Sendable {
    package enum Button: Equatable, Sendable { case left, middle, right }
    package enum Wheel: Equatable, Sendable { case up, down, left, right }
    package enum Action: Equatable, Sendable {
        case press(Button)
        case drag(Button)
        /// Nil in the older form of reports, which does not name the button.
        case release(Button?)
        case move
        case wheel(Wheel)
    }

    package var action: Action
    package var column: Int
    package var row: Int
    package var modifiers: KeyModifiers

    package init(_ action: Action, column: Int, row: Int, modifiers: KeyModifiers = []) {
        self.action = action
        self.column = column
        self.row = row
        self.modifiers = modifiers
    }
}
