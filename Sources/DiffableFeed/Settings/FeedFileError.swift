package struct FeedFileError: Error, Equatable, CustomStringConvertible {
    /// The name of the feed's list; nil for the file as a whole, or if the feed has no name.
    package var feed: String?
    /// The line, counted from 1; nil for the file as a whole.
    package var line: Int?
    /// The key with its parents, such as `directory.path`; nil if the mistake is not in one key.
    package var key: String?
    package var problem: String
    package var others: [FeedFileError] = []

    package init(line: Int? = nil, key: String? = nil, _ problem: String) {
        self.line = line
        self.key = key
        self.problem = problem
    }

    func inFeed(_ list: String?) -> FeedFileError {
        var error = self
        error.feed = list
        error.others = others.map { $0.inFeed(list) }
        return error
    }

    init?(_ errors: [FeedFileError]) {
        guard let first = errors.first else { return nil }
        self = first
        others += errors.dropFirst()
    }

    package var description: String {
        let place = [feed.map { "feed \($0.debugDescription)" }, line.map { "line \($0)" }].compactMap(\.self)
        let own = [place.isEmpty ? nil : place.joined(separator: ", "), key, problem].compactMap(\.self)
            .joined(separator: ": ")
        return ([own] + others.map(\.description)).joined(separator: "\n")
    }
}
