/// Why a file with feeds cannot be used: where, and what would be right.
package struct FeedFileError: Error, Equatable, CustomStringConvertible {
    /// Counted from 1; nil when it is the file as a whole.
    package var line: Int?
    /// As a path in the file, such as `[2].every`; nil when it is no single key.
    package var key: String?
    package var problem: String

    package init(line: Int? = nil, key: String? = nil, _ problem: String) {
        self.line = line
        self.key = key
        self.problem = problem
    }

    package var description: String {
        [line.map { "line \($0)" }, key, problem].compactMap(\.self).joined(separator: ": ")
    }
}
