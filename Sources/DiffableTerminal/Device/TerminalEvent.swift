/// An event of the user's terminal.
package enum TerminalEvent: Equatable, Sendable {
    case input(InputEvent)
    case resized(TerminalSize)
    /// The process was stopped and continues. The contents of the screen are unknown.
    case continued
    /// A signal asked the process to stop, as ^Z does: call `TerminalDevice.suspend`.
    case suspensionRequested
    /// A signal with this number asked the process to end.
    case terminationRequested(Int32)
    /// The terminal was closed. No more events follow, and output is discarded.
    case hungUp
    /// The terminal has taken all delayed output, so the next frame can be drawn.
    case caughtUp
    /// `TerminalWaker.wake` was called.
    case woken
}

package struct TerminalSize: Equatable, Sendable {
    package var columns: Int
    package var rows: Int

    /// The size of a terminal that reports none.
    package static let usual = TerminalSize(columns: 80, rows: 24)

    package init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
    }
}

/// The reason why the program cannot draw on a terminal.
package enum TerminalError: Error, Equatable {
    case unavailable(path: String, Int32)
}
