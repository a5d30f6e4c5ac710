/// Why input cannot be used: the line, the reason, and the remedy.
package struct InputError: Error, Equatable, CustomStringConvertible {
    /// The line, counted from 1; nil if the mistake is not in a single line.
    package var line: Int?
    package var problem: InputMessage
    /// Whether the text is not JSON at all, so that it may be another format.
    package var isBrokenJSON: Bool

    package init(line: Int? = nil, _ problem: InputMessage, isBrokenJSON: Bool = false) {
        self.line = line
        self.problem = problem
        self.isBrokenJSON = isBrokenJSON
    }

    static let noHeader = InputError(
        "the input is empty and has no header line; put the names of the columns into the first line, or use \(.columns)"
    )

    package var message: InputMessage {
        guard let line else { return problem }
        return "line \(line): \(problem)"
    }

    package var description: String { message.description }
}
