import Diffable
import DiffableInput
import DiffableJSON
import Yams

/// The file of feeds, a YAML sequence of mappings. One mistake rejects the whole file, because a misspelt key would otherwise
/// be ignored silently.
package struct FeedFile: Sendable {
    package var feeds: [FeedSettings]

    /// `home` is the directory that `~/` means in paths.
    package init(yaml text: String, home: String?) throws(FeedFileError) {
        let root: Node?
        do { root = try Yams.compose(yaml: text) } catch let error as YamlError {
            throw FeedFileError(error)
        } catch {
            throw FeedFileError("\(error)")
        }
        feeds = []
        // An empty file may be a truncated one, and a reload would end all feeds.
        guard let root, !root.isEmptyDocument else {
            throw FeedFileError(
                "the file is empty: describe feeds, each beginning with `- list: NAME`, or write [] to run none")
        }
        guard case .sequence(let nodes) = root else {
            throw FeedFileError(
                line: root.mark?.line, "the file must be a sequence of feeds, each beginning with `- list: NAME`")
        }
        var errors: [FeedFileError] = []
        for node in nodes {
            do throws(FeedFileError) {
                let feed = try FeedSettings(node, home: home)
                guard !feeds.contains(where: { $0.list == feed.list }) else {
                    throw FeedFileError(
                        line: node.mark?.line, key: "list",
                        "two feeds for the list \"\(feed.list)\"; each list can have one, so remove the other")
                }
                feeds.append(feed)
            } catch {
                errors.append(error.inFeed(node.listName))
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

    fileprivate var listName: String? {
        guard case .mapping(let mapping) = self else { return nil }
        for (key, value) in mapping where key.string == "list" { return value.string }
        return nil
    }
}

extension FeedFileError {
    fileprivate init(_ error: YamlError) {
        switch error {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            self.init(line: mark.line, "not valid YAML: \(problem)")
        case .duplicatedKeysInMapping(let duplicates, let context):
            let names = duplicates.sorted().joined(separator: ", ")
            self.init(line: context.mark.line, "the key \(names) is used twice in one feed or mapping; remove one")
        default: self.init("\(error)")
        }
    }
}

// MARK: - One feed

extension FeedSettings {
    static let sources = ["command", "url", "sqlite", "directory", "systemd"]
    static let keys =
        ["list"] + sources + [
            "shell", "headers", "every", "on", "timeout", "stream", "keep", "remove", "from", "id", "section", "parent",
            "text", "rows",
            "columns",
            "numbers", "types", "separator", "orphans", "query", "json", "copy", "content", "look", "mode",
            "durability",
            "adopt", "allowEmpty", "maxDelete",
        ]

    fileprivate init(_ node: Node, home: String?) throws(FeedFileError) {
        var mapping = try YAMLMapping(node, of: "a feed")
        guard let name = mapping.take("list") else {
            // An unknown key may be a misspelt “list”.
            try mapping.refuseUnknown(among: Self.keys)
            throw FeedFileError(line: mapping.line, key: "list", "it is missing; add `list: NAME`")
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
            let text = try member.text()
            guard let known = Durability(rawValue: text) else {
                throw member.error("it must be durable or volatile, not \(text.debugDescription)")
            }
            durability = known
        }
        if let member = mapping.take("adopt") { adopts = try member.truth() }
        for name in ["allowEmpty", "maxDelete"] where onlyAdds {
            guard let member = mapping.take(name) else { continue }
            throw member.error("it cannot be used with stream: ndjson, which deletes nothing; leave it out")
        }
        if let member = mapping.take("allowEmpty") { allowsEmpty = try member.truth() }
        if let member = mapping.take("maxDelete") {
            guard let limit = DeletionLimit(argument: try member.text()) else {
                throw member.error("it must be a number of items, or a share of them such as 20%")
            }
            maxDelete = limit
        }
        try mapping.refuseRest(with: source.kind)
        do { try checkRows() } catch { throw FeedFileError(line: mapping.line, error.problem.text(names)) }
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
                    ? "the source is missing: add one of \(all)"
                    : "a feed has one source, not \(named.joined(separator: " and ")); remove one")
        }
        switch named[0] {
        case "url": self = .url(try HTTPSettings(&mapping, home: home))
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
                throw command.error("with shell: true it must be one string, such as ls | wc")
            }
            self.init(line: try command.text())
        } else if case .sequence = command.node {
            self.init(
                words: try command.texts(remedy: "write the program and its arguments, such as [ps, aux]"))
        } else {
            throw command.error(
                "it must be a list of words, such as [ps, aux]; for a command line of a shell, also set shell: true")
        }
        if let member = mapping.take("stream") { stream = try member.choice(of: Stream.self) }
        for name in ["keep", "remove"] where stream != .ndjson {
            guard let member = mapping.take(name) else { continue }
            throw member.error("it can be used only with stream: ndjson, whose lines are items; leave it out")
        }
        if let member = mapping.take("keep") {
            let text = try member.text()
            guard let number = Int(text), (1...FeedLimits.streamItemsMax).contains(number) else {
                throw member.error("it must be a number from 1 to \(FeedLimits.streamItemsMax), not \"\(text)\"")
            }
            keep = number
        }
        remove = try mapping.take("remove")?.path()
        for name in ["every", "on", "timeout"] {
            guard stream != nil, let member = mapping.take(name) else { continue }
            throw member.error("it cannot be used with stream, whose command does not end; leave it out")
        }
        every = try mapping.take("every")?.interval()
        if let member = mapping.take("timeout") { timeout = try member.time() }
        if let member = mapping.take("on") {
            for path in try member.texts(remedy: "name at least one file or directory, or leave `on` out") {
                on.append(try member.watched(path, home: home, remedy: "use `every` instead"))
            }
        }
        if stream == nil, every == nil, on.isEmpty {
            throw command.error(
                "the trigger is missing: add every (a time), on (files that change), or stream (the command does not end)"
            )
        }
    }
}

extension DatabaseSettings {
    fileprivate init(_ mapping: inout YAMLMapping, home: String?) throws(FeedFileError) {
        guard let database = mapping.take("sqlite") else { throw FeedFileError("sqlite is missing") }
        guard let query = mapping.take("query") else {
            throw database.error("the query is missing; add query: SELECT … FROM …")
        }
        // Rejects only text that is certainly not a query. SQLite checks the rest when the database exists.
        let verb = try query.text().prefix { $0.isLetter }.uppercased()
        guard ["SELECT", "WITH", "VALUES", ""].contains(verb) else {
            throw query.error("it must be one SELECT, not \(verb)")
        }
        if QueryText(try query.text()).hasSecondStatement {
            throw query.error("it must be one SELECT; remove the statement after it")
        }
        let text = try database.text()
        // If the kernel reports no changes, the database needs an interval.
        let path =
            try mapping.has("every")
            ? database.absolute(text, home: home)
            : database.watched(text, home: home, remedy: "set `every` to read it periodically")
        self.init(path: path, query: try query.text())
        if let member = mapping.take("json") {
            jsonColumns = try member.names(remedy: "name at least one column that contains JSON, or leave `json` out")
        }
        if let member = mapping.take("copy") { isCopied = try member.truth() }
        every = try mapping.take("every")?.interval()
        if let member = mapping.take("timeout") { timeout = try member.time() }
        for name in ["from", "rows", "columns", "numbers", "types", "separator"] {
            guard let member = mapping.take(name) else { continue }
            throw member.error(
                "it cannot be used with a query, whose columns already have names and types; leave it out")
        }
    }
}

extension YAMLMapping.Member {
    func absolute(_ path: String, home: String?) throws(FeedFileError) -> String {
        guard let path = FeedPath.absolute(path, home: home) else {
            throw error("\"\(path)\" is not an absolute path; it must begin with / or ~/")
        }
        return path
    }

    fileprivate func watched(_ path: String, home: String?, remedy: String) throws(FeedFileError) -> String {
        let path = try absolute(path, home: home)
        if let objection = WatchedPath.objection(to: path) { throw error("\(path) \(objection): \(remedy)") }
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
                throw member.error("\"\(text)\" is not one of \(all)")
            }
            from = format
        }
        set(
            .init(
                id: try mapping.take("id")?.path(), section: try mapping.take("section")?.path(),
                parent: try mapping.take("parent")?.path(), text: try mapping.take("text")?.path()))
        rows = try mapping.take("rows")?.path()
        columns = try mapping.take("columns")?.names(remedy: "name the columns, or leave `columns` out")
        if let member = mapping.take("numbers") {
            let remedy = "name at least one column, or leave `numbers` out"
            numbers = try member.names(remedy: remedy).joined(separator: ",")
        }
        if let member = mapping.take("types") {
            types = try member.object().map { "\($0.name)=\(JSONReader($0.value).plainText)" }.joined(separator: ",")
            do { _ = try columnTypes() } catch { throw member.error(error.message.text(.keys)) }
        }
        if let member = mapping.take("separator") {
            let text = try member.text()
            guard let byte = RowMapping.separator(text) else {
                throw member.error("it must be one ASCII character, such as \";\"")
            }
            separator = byte
        }
        if let member = mapping.take("orphans") { orphans = try member.choice(of: OrphanRule.self) }
    }
}

extension YAMLMapping.Member {
    fileprivate func path() throws(FeedFileError) -> FieldPath {
        let text = try text()
        guard let path = FieldPath(ofRow: text) else {
            throw error("\"\(text)\" is not a path; write a path like .name, .owner.name or /owner/name")
        }
        return path
    }

    fileprivate func names(remedy: String) throws(FeedFileError) -> [String] {
        if case .scalar(let scalar) = node, scalar.string.contains(" "), !scalar.string.contains(",") {
            let names = scalar.string.split(separator: " ").joined(separator: ", ")
            throw error(
                "names are separated by commas: write [\(names)], or [\"\(scalar.string)\"] for one name with a space")
        }
        return try texts(remedy: remedy).flatMap {
            $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
    }
}
