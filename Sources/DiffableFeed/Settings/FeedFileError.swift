/// Why a file with feeds cannot be used: where, and what would be right.
package struct FeedFileError: Error, Equatable, CustomStringConvertible {
    /// Counted from 1; nil when it is the file as a whole.
    package var line: Int?
    /// As a path in the file, such as `[2].every`; nil when it is no single key.
    package var key: String?
    package var problem: String
    /// What else is wrong in the file.
    package var others: [FeedFileError] = []

    package init(line: Int? = nil, key: String? = nil, _ problem: String) {
        self.line = line
        self.key = key
        self.problem = problem
    }

    /// All of them as one; nil for none.
    init?(_ errors: [FeedFileError]) {
        guard let first = errors.first else { return nil }
        self = first
        others += errors.dropFirst()
    }

    /// A line for each mistake.
    package var description: String {
        let own = [line.map { "line \($0)" }, key, problem].compactMap(\.self).joined(separator: ": ")
        return ([own] + others.map(\.description)).joined(separator: "\n")
    }
}
