import ArgumentParser
import Diffable
import DiffableClient
import DiffableInput
import Dispatch
import Glibc

extension CompletionKind {
    static var lists: CompletionKind { .fromDaemon { line in await ListCompletion(line)?.names() ?? [] } }
    static var deletedLists: CompletionKind { .fromDaemon { line in await ListCompletion(line)?.deletedNames() ?? [] } }
    /// The items of the named list whose ids begin with the typed text.
    static var items: CompletionKind { .fromDaemon { line in await ListCompletion(line)?.items() ?? [] } }
    static var sections: CompletionKind { .fromDaemon { line in await ListCompletion(line)?.sections() ?? [] } }
    /// The actions that a handler of that list performs.
    static var actions: CompletionKind { .fromDaemon { line in await ListCompletion(line)?.actions() ?? [] } }
    static var revisions: CompletionKind { .fromDaemon { line in await ListCompletion(line)?.revisions() ?? [] } }

    /// Returns nothing if no daemon replies within a second, because the shell waits for this while the user types.
    private static func fromDaemon(_ answer: @escaping @Sendable ([String]) async -> [String]) -> CompletionKind {
        .custom { words, index, _ in
            DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(1)) { _exit(ExitStatus.done.rawValue) }
            // The text after the cursor is ignored.
            return await answer(Array(words.prefix(index + 1))).filter(ListCompletion.isPlain)
        }
    }
}

struct ListCompletion {
    private let words: [String]
    private let path: SocketPath

    init?(_ words: [String]) {
        guard let path = try? Self.path(in: words) else { return nil }
        self.words = words
        self.path = path
    }

    func names() async -> [String] {
        await askDaemon { try await $0.lists().map(\.list.description) }
    }

    func deletedNames() async -> [String] {
        await askDaemon { try await $0.deletedLists().map(\.summary.list.description) }
    }

    private static let choicesMax = 200

    func items() async -> [String] {
        await withNamedList { connection, list in
            let typed = Content.string((words.last ?? "").utf8)
            let view = Content.object([
                ("where", .object([("path", .string("id".utf8)), ("prefix", typed)])),
                ("window", .object([("limit", .number(Self.choicesMax))])),
            ])
            let options = ListOptions(view: try ListView(json: view.description))
            return try await connection.state(of: list, options).snapshot.itemIdentifiers.map(\.description)
        }
    }

    func sections() async -> [String] {
        await withNamedList { connection, list in
            try await connection.sectionIDs(of: list).map(\.description)
        }
    }

    func actions() async -> [String] {
        await withNamedList { connection, list in
            let answered = try await connection.listsWithActions().first { $0.list == list }?.actions ?? []
            return answered.map(\.description)
        }
    }

    func revisions() async -> [String] {
        await withNamedList { connection, list in
            try await connection.history(of: list, limit: Self.choicesMax).transactions.map { "\($0.revision)" }
        }
    }

    private func withNamedList(_ body: (Connection, ListName) async throws -> [String]) async -> [String] {
        await askDaemon { connection in
            let lists = Set(try await connection.lists().map(\.list.description))
            guard let word = words.dropFirst(2).dropLast().first(where: lists.contains) else { return [] }
            return try await body(connection, try ListName(word))
        }
    }

    private func askDaemon(_ body: (Connection) async throws -> [String]) async -> [String] {
        let answer = try? await Connection.withConnection(to: path, name: "diffablectl") { try await body($0) }
        return answer ?? []
    }

    private static func path(in words: [String]) throws -> SocketPath {
        if words.contains("--system") { return .system }
        if words.contains("--user"), let path = SocketPath.user { return path }
        return try .find(socket(in: words))
    }

    static func socket(in words: [String]) -> String? {
        for (index, word) in words.enumerated() {
            if word == "--" { return nil }
            if word == "--socket", index + 1 < words.count { return words[index + 1] }
            if word.hasPrefix("--socket=") { return String(word.dropFirst("--socket=".count)) }
        }
        return nil
    }

    /// Whether a shell takes the name literally. bash executes code in a completion, such as `$(reboot)`, and the names of
    /// lists come from other users. So names that need quotation marks are not offered.
    static func isPlain(_ name: String) -> Bool {
        let marks = "0123456789._-/+,%@".unicodeScalars
        return name.first != "-" && name.unicodeScalars.allSatisfy { $0.properties.isAlphabetic || marks.contains($0) }
    }
}

extension Connection {
    func sectionIDs(
        of list: ListName, at revision: Int? = nil, _ freshness: Freshness = .any
    ) async throws -> [SectionID] {
        // A view shows sections even without items, and no item has this id.
        var options = ListOptions(view: try ListView(json: #"{"where":{"path":"id","equals":""}}"#))
        options.freshness = freshness
        guard let revision else { return try await state(of: list, options).snapshot.sectionIdentifiers }
        return try await state(of: list, at: revision, options).snapshot.sectionIdentifiers
    }
}
