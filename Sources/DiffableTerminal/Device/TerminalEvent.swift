/// What a loop hears of its terminal.
package enum TerminalEvent: Equatable, Sendable {
    case input(InputEvent)
    case resized(TerminalSize)
    /// The process was stopped and goes on: nobody knows what the screen shows.
    case continued
    /// Somebody asks the process to stop, as ^Z does elsewhere: `TerminalDevice.suspend`.
    case suspensionRequested
    /// Somebody asks the process to end, by the signal with this number.
    case terminationRequested(Int32)
    /// The terminal is gone. Nothing comes any more, and what is written goes nowhere.
    case hungUp
    /// All that was written has been taken, after some of it had to wait: the next frame can be drawn.
    case caughtUp
    /// Somebody called `TerminalWaker.wake`.
    case woken
}

package struct TerminalSize: Equatable, Sendable {
    package var columns: Int
    package var rows: Int

    package init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
    }
}

/// Why there is no terminal to draw on.
package enum TerminalError: Error, Equatable {
    /// With the error number.
    case unavailable(path: String, Int32)
}
