import Diffable
import DiffableInput
import DiffableJSON
import Yams

/// The file of feeds: a YAML sequence, each element a mapping. It is read strictly: a mistake anywhere refuses all of it, because
/// a misspelt key would have no effect that anybody sees.
package struct FeedFile: Sendable {
    package var feeds: [FeedSettings]

    /// - Parameter home: what `~/` stands for in paths.
    package init(yaml text: String, home: String?) throws(FeedFileError) {
        let root: Node?
        do { root = try Yams.compose(yaml: text) } catch let error as YamlError {
            throw FeedFileError(error)
        } catch {
            throw FeedFileError("\(error)")
        }
        feeds = []
        guard let root, !root.isEmptyDocument else { return }
        guard case .sequence(let nodes) = root else {
            throw FeedFileError(line: root.mark?.line, "it is a sequence of feeds, each beginning with `- list: NAME`")
        }
        var errors: [FeedFileError] = []
        for node in nodes {
            do throws(FeedFileError) {
                let feed = try FeedSettings(node, home: home)
                guard !feeds.contains(where: { $0.list == feed.list }) else {
                    throw FeedFileError(
                        line: node.mark?.line, key: "list", "“\(feed.list)” is fed already: a list has one feed")
                }
                feeds.append(feed)
            } catch {
                errors.append(error)
            }
        }
        if let all = FeedFileError(errors) { throw all }
    }
}

extension Node {
    /// A file of nothing but `---` or comments is one empty scalar.
    fileprivate var isEmptyDocument: Bool {
        if case .scalar(let scalar) = self { scalar.string.isEmpty } else { false }
    }
}

extension FeedFileError {
    fileprivate init(_ error: YamlError) {
        switch error {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            self.init(line: mark.line, "this is no YAML: \(problem)")
        case .duplicatedKeysInMapping(let duplicates, let context):
            let names = duplicates.sorted().joined(separator: ", ")
            self.init(line: context.mark.line, "the key \(names) stands twice in one feed")
        default: self.init("\(error)")
        }
    }
}

// MARK: - One feed

extension FeedSettings {
    static let sources = ["command", "sqlite", "directory", "systemd"]
    static let keys =
        ["list"] + sources + [
            "shell", "every", "on", "timeout", "stream", "from", "id", "section", "parent", "text", "rows", "columns",
            "numbers", "types", "separator", "orphans", "query", "json", "content", "look", "mode", "durability",
            "adopt", "allowEmpty", "maxDelete",
        ]

    fileprivate init(_ node: Node, home: String?) throws(FeedFileError) {
        var mapping = try YAMLMapping(node, of: "a feed")
        guard let name = mapping.take("list") else {
            // What it says may be a misspelt “list”.
            try mapping.refuseUnknown(among: Self.keys)
            throw FeedFileError(line: mapping.line, key: "list", "it is missing: which list is fed?")
        }
        let text = try name.text()
        let list: ListName
        do { list = try ListName(text) } catch { throw name.error("a list's name \(error)") }
        try mapping.refuseUnknown(among: Self.keys)
        let source = try SourceSettings(&mapping, home: home)
        self.init(list: list, source: source)
        if source.bringsRows { rows = try RowMapping(&mapping) }
        if let member = mapping.take("content") {
            for (name, value) in try member.object() { constants.append(.init(name: name, value: value)) }
        }
        if let member = mapping.take("look") {
            _ = try member.object()
            look = try member.json().completed(by: source.usualLook)
        }
        if let member = mapping.take("mode") {
            let text = try member.text()
            do { mode = try AccessMode(octal: text) } catch { throw member.error("\(error)") }
        }
        if let member = mapping.take("durability") {
            guard let known = Durability(rawValue: try member.text()) else {
                throw member.error("it is durable or volatile")
            }
            durability = known
        }
        if let member = mapping.take("adopt") { adopts = try member.truth() }
        for name in ["allowEmpty", "maxDelete"] where onlyAdds {
            guard let member = mapping.take(name) else { continue }
            throw member.error("a stream of items deletes none")
        }
        if let member = mapping.take("allowEmpty") { allowsEmpty = try member.truth() }
        if let member = mapping.take("maxDelete") {
            guard let limit = DeletionLimit(argument: try member.text()) else {
                throw member.error("it is a number of items, or a share of them such as 20%")
            }
            maxDelete = limit
        }
        try mapping.refuseRest()
        do { try checkRows() } catch { throw FeedFileError(line: mapping.line, wording.worded(error.problem)) }
    }
}

extension SourceSettings {
    fileprivate init(_ mapping: inout YAMLMapping, home: String?) throws(FeedFileError) {
        let named = FeedSettings.sources.filter(mapping.has)
        guard named.count == 1 else {
            let all = FeedSettings.sources.joined(separator: ", ")
            throw FeedFileError(
                line: mapping.line, key: named.dropFirst().first,
                named.isEmpty
                    ? "where its rows come from is missing: one of \(all)"
                    : "a feed has one source, not \(named.joined(separator: " and "))")
        }
        switch named[0] {
        case "sqlite": self = .sqlite(try DatabaseSettings(&mapping, home: home))
        case "directory": self = .directory(try DirectorySettings(&mapping, home: home))
        case "systemd": self = .systemd(try UnitSettings(&mapping))
        default: self = .command(try CommandSettings(&mapping, home: home))
        }
    }
}

extension CommandSettings {
    fileprivate init(_ mapping: inout YAMLMapping, home: String?) throws(FeedFileError) {
        guard let command = mapping.take("command") else { throw FeedFileError("command is missing") }
        let isShell = try mapping.take("shell")?.truth() ?? false
        if isShell {
            guard case .scalar = command.node else {
                throw command.error("with shell: true it is one line, such as ls | wc")
            }
            self.init(line: try command.text())
        } else if case .sequence = command.node {
            self.init(words: try command.texts())
        } else {
            throw command.error(
                "it is a list of words, such as [ps, aux]; for a line of a shell say shell: true beside it")
        }
        if let member = mapping.take("stream") { stream = try member.choice(of: Stream.self) }
        for name in ["every", "on", "timeout"] {
            guard stream != nil, let member = mapping.take(name) else { continue }
            throw member.error("a stream runs all the time: \(name) is for commands that end")
        }
        if let member = mapping.take("every") {
            every = try member.time()
            guard let every, every >= Self.everyMin else { throw member.error("at least 100ms") }
        }
        if let member = mapping.take("timeout") { timeout = try member.time() }
        if let member = mapping.take("on") {
            for path in try member.texts() { on.append(try member.watched(path, home: home)) }
        }
        if stream == nil, every == nil, on.isEmpty {
            throw command.error(
                "when it runs again is missing: every (a time), on (files that change), or stream for one that does not end"
            )
        }
    }
}

extension DatabaseSettings {
    fileprivate init(_ mapping: inout YAMLMapping, home: String?) throws(FeedFileError) {
        guard let database = mapping.take("sqlite") else { throw FeedFileError("sqlite is missing") }
        guard let query = mapping.take("query") else {
            throw database.error("the query is missing: query: SELECT … FROM …")
        }
        // Only what is certainly something else is refused here: SQLite reads it when there is a database.
        let verb = try query.text().prefix { $0.isLetter }.uppercased()
        guard ["SELECT", "WITH", "VALUES", ""].contains(verb) else {
            throw query.error("it is one SELECT, and not \(verb)")
        }
        if QueryText(try query.text()).hasSecondStatement {
            throw query.error("it is one SELECT, and another statement stands behind it")
        }
        let text = try database.text()
        // Where the kernel tells of nothing, it has to be looked at from time to time.
        let path = try mapping.has("every") ? database.absolute(text, home: home) : database.watched(text, home: home)
        self.init(path: path, query: try query.text())
        if let member = mapping.take("json") { jsonColumns = try member.names() }
        if let member = mapping.take("every") {
            let time = try member.time()
            guard time >= CommandSettings.everyMin else { throw member.error("at least 100ms") }
            every = time
        }
        if let member = mapping.take("timeout") { timeout = try member.time() }
        for name in ["from", "rows", "columns", "numbers", "types", "separator"] {
            guard let member = mapping.take(name) else { continue }
            throw member.error("it is for a text that is read, and a query has columns already")
        }
    }
}

extension YAMLMapping.Member {
    /// `~/` is the user's home.
    func absolute(_ path: String, home: String?) throws(FeedFileError) -> String {
        guard let path = FeedPath.absolute(path, home: home) else {
            throw error("“\(path)” is no absolute path; it begins with / or ~/")
        }
        return path
    }

    /// One whose changes the kernel tells of.
    fileprivate func watched(_ path: String, home: String?) throws(FeedFileError) -> String {
        let path = try absolute(path, home: home)
        if let objection = WatchedPath.objection(to: path) { throw error("\(path) \(objection): use every") }
        return path
    }
}

extension RowMapping {
    fileprivate init(_ mapping: inout YAMLMapping) throws(FeedFileError) {
        self.init()
        if let member = mapping.take("from") {
            let text = try member.text()
            guard let format = InputFormat(named: text) else {
                let all = InputFormat.allCases.map(\.rawValue).joined(separator: ", ")
                throw member.error("“\(text)” is none of \(all)")
            }
            from = format
        }
        fields.id = try mapping.take("id")?.path()
        fields.section = try mapping.take("section")?.path()
        fields.parent = try mapping.take("parent")?.path()
        fields.text = try mapping.take("text")?.path()
        rows = try mapping.take("rows")?.path()
        columns = try mapping.take("columns")?.names()
        if let member = mapping.take("numbers") { numbers = try member.names().joined(separator: ",") }
        if let member = mapping.take("types") {
            types = try member.object().map { "\($0.name)=\(JSONView($0.value).plainText)" }.joined(separator: ",")
            do { _ = try columnTypes() } catch { throw member.error("\(error)") }
        }
        if let member = mapping.take("separator") {
            let text = try member.text()
            guard let byte = RowMapping.separator(text) else { throw member.error("it is one ASCII character") }
            separator = byte
        }
        if let member = mapping.take("orphans") { orphans = try member.choice(of: OrphanRule.self) }
    }
}

extension YAMLMapping.Member {
    fileprivate func path() throws(FeedFileError) -> FieldPath {
        let text = try text()
        guard let path = FieldPath(ofRow: text) else {
            throw error("“\(text)” is no path; a path is like .name, .owner.name or /owner/name")
        }
        return path
    }

    /// `[a, b]` or `a,b`.
    fileprivate func names() throws(FeedFileError) -> [String] {
        try texts().flatMap { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
    }
}
