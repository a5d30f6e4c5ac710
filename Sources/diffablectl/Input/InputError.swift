/// Why input cannot be used: where, what, and what to do instead.
struct InputError: Error, Equatable, CustomStringConvertible {
    /// Counted from 1; `nil` when no single line is to blame.
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
