/// Why input cannot be used: the line, the reason, and what to do instead.
struct InputError: Error, Equatable, CustomStringConvertible {
    /// The line, counted from 1; nil if it is not a single line that is wrong.
    var line: Int?
    var problem: String

    init(line: Int? = nil, _ problem: String) {
        self.line = line
        self.problem = problem
    }

    var description: String {
        guard let line else { return problem }
        return "line \(line): \(problem)"
    }
}
