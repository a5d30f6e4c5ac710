import Foundation

extension Serving {
    func startFeeds(_ text: String) throws -> Program {
        try writeFeeds(text)
        return try feedProgram("--config", directory.file("feeds.yaml"))
    }

    func writeFeeds(_ text: String) throws { _ = try directory.write(text, to: "feeds.yaml") }

    func feedProgram(_ arguments: String...) throws -> Program {
        try Program(Binaries.feed, ["--socket", socket] + arguments, in: directory)
    }

    /// Returns the ids of a list's items; nil without a list.
    func ids(of list: String) throws -> [String]? {
        let answer = try companion("show", list, "-o", "jsonl")
        guard answer.status == 0 else { return nil }
        return answer.output.split(separator: "\n").compactMap { line in
            let row = try? JSONDecoder().decode(ShownItem.self, from: Data(line.utf8))
            return row?.id
        }
    }

    func waitForIDs(_ ids: [String]?, of list: String = "a", _ program: Program? = nil) throws {
        var last: [String]?
        _ = try eventually("\(ids ?? []) in \(list), but \(last ?? []); it said: \(program?.complaints ?? "")") {
            last = try self.ids(of: list)
            return last == ids ? true : nil
        }
    }

    /// Returns a feed's item in the list `feeds`.
    func status(of feed: String = "a") throws -> FeedItem? {
        let answer = try companion("get", "feeds", feed)
        guard answer.status == 0 else { return nil }
        return try JSONDecoder().decode(FeedItem.self, from: Data(answer.output.utf8))
    }

    func waitForStatus(_ what: String, of feed: String = "a", _ isSo: (FeedItem) -> Bool) throws -> FeedItem {
        var last: FeedItem?
        return try eventually("\(what), but \(last.map { "\($0)" } ?? "nothing")") {
            last = try status(of: feed)
            return last.flatMap { isSo($0) ? $0 : nil }
        }
    }
}

private struct ShownItem: Decodable {
    var id: String
}

struct FeedItem: Decodable {
    var state: String
    var message: String?
    var lastSuccess: Int?
    var nextAttempt: Int?
    var actions: [Action]?

    struct Action: Decodable {
        var id: String
    }
}
