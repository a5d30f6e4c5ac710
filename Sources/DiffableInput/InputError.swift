/// Why input cannot be used: the line, the reason, and what to do instead.
package struct InputError: Error, Equatable, CustomStringConvertible {
    /// The line, counted from 1; nil if it is not a single line that is wrong.
    package var line: Int?
    package var problem: String
    /// Whether the text is not JSON at all, so that it may be something else.
    package var isBrokenJSON: Bool

    package init(line: Int? = nil, _ problem: String, isBrokenJSON: Bool = false) {
        self.line = line
        self.problem = problem
        self.isBrokenJSON = isBrokenJSON
    }

    package var description: String {
        guard let line else { return problem }
        return "line \(line): \(problem)"
    }
}
