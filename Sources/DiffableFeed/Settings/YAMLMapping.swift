import Diffable
import DiffableInput
import DiffableJSON
import Yams

/// A mapping of the file. Each key is taken once, and the keys left at the end are unknown.
struct YAMLMapping {
    struct Member {
        var name: String
        var line: Int?
        var node: Node
        /// The key that contains this one; nil for a feed's own key.
        var parent: String?

        /// The name in messages, such as `directory.path`.
        fileprivate var fullName: String { parent.map { "\($0).\(name)" } ?? name }

        func error(_ problem: String) -> FeedFileError { FeedFileError(line: line, key: fullName, problem) }
    }

    let line: Int?
    private var members: [Member] = []

    /// `example` is an example of the mapping, for the message; `parent` is the key that has the mapping as its value.
    init(
        _ node: Node, of what: String, suchAs example: String = "`list: mail` and the lines below it",
        under parent: String? = nil
    ) throws(FeedFileError) {
        guard case .mapping(let mapping) = node else {
            throw FeedFileError(
                line: node.mark?.line, "\(what) must be a mapping, such as \(example)")
        }
        line = node.mark?.line
        for (key, value) in mapping {
            members.append(Member(name: key.string ?? "?", line: key.mark?.line, node: value, parent: parent))
        }
    }

    func has(_ name: String) -> Bool { members.contains { $0.name == name } }

    var names: [String] { members.map(\.name) }

    mutating func take(_ name: String) -> Member? {
        members.firstIndex { $0.name == name }.map { members.remove(at: $0) }
    }

    func refuseUnknown(among known: [String]) throws(FeedFileError) {
        let errors = members.filter { !known.contains($0.name) }.map { member in
            let suggestion =
                nearestName(to: member.name, among: known).map { "did you mean \($0)?" }
                ?? "the keys are \(known.joined(separator: ", "))"
            return member.error("unknown key; \(suggestion)")
        }
        if let all = FeedFileError(errors) { throw all }
    }

    func refuseRest(with source: String) throws(FeedFileError) {
        guard let member = members.first else { return }
        throw member.error("it cannot be used with \(source); leave it out")
    }
}

extension YAMLMapping.Member {
    /// A single value as text, even if YAML reads it as a number.
    func text() throws(FeedFileError) -> String {
        guard case .scalar(let scalar) = node else { throw error("it must be one value, not a list or a mapping") }
        guard !scalar.isNull, !scalar.string.isEmpty else { throw error("its value is missing") }
        return scalar.string
    }

    /// One text, or the texts of a sequence. `remedy` is the advice for an empty list.
    func texts(remedy: String) throws(FeedFileError) -> [String] {
        guard case .sequence(let nodes) = node else { return [try text()] }
        var texts: [String] = []
        for (index, node) in nodes.enumerated() {
            texts.append(try Self(name: "\(fullName)[\(index)]", line: node.mark?.line ?? line, node: node).text())
        }
        guard !texts.isEmpty else { throw error("it is an empty list; \(remedy)") }
        return texts
    }

    func truth() throws(FeedFileError) -> Bool {
        let text = try text()
        switch text {
        case "true": return true
        case "false": return false
        default: throw error("it must be true or false, not \(text.debugDescription)")
        }
    }

    func choice<Choice: RawRepresentable<String> & CaseIterable>(of _: Choice.Type) throws(FeedFileError) -> Choice {
        let text = try text()
        guard let choice = Choice(rawValue: text) else {
            let all = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw error("\"\(text)\" is not one of \(all)")
        }
        return choice
    }

    func time() throws(FeedFileError) -> Duration {
        let text = try text()
        guard let time = TimeSpan(text)?.duration, time > .zero else {
            throw error("\"\(text)\" is not a time; write 500ms, 2s, 5m or 1h")
        }
        return time
    }

    /// A time of at least `CommandSettings.everyMin`.
    func interval() throws(FeedFileError) -> Duration {
        let time = try time()
        guard time >= CommandSettings.everyMin else { throw error("it must be at least 100ms") }
        return time
    }

    func json() throws(FeedFileError) -> Content {
        var writer = ByteWriter()
        do throws(FeedFileError) { try node.write(into: &writer) } catch {
            throw FeedFileError(line: error.line ?? line, key: fullName, error.problem)
        }
        return Content(writer.bytes)
    }

    func object() throws(FeedFileError) -> [(name: String, value: Content)] {
        guard case .mapping(let mapping) = node else { throw error("it must be a mapping, such as {icon: 📦}") }
        var members: [(name: String, value: Content)] = []
        for (key, value) in mapping {
            let member = Self(name: "\(fullName).\(key.string ?? "?")", line: key.mark?.line, node: value)
            members.append((key.string ?? "?", try member.json()))
        }
        return members
    }
}

extension Node.Scalar {
    /// Whether the value is empty or null, without quotation marks.
    fileprivate var isNull: Bool { style == .plain && ["", "~", "null", "Null", "NULL"].contains(string) }
}

extension Node {
    /// Writes YAML as JSON. Unquoted true, false, null and JSON numbers keep their types; everything else is text.
    fileprivate func write(into writer: inout ByteWriter) throws(FeedFileError) {
        switch self {
        case .scalar(let scalar):
            if scalar.isNull { return writer.append("null") }
            let isWord = scalar.style == .plain && ["true", "false"].contains(scalar.string)
            if isWord
                || (scalar.style == .plain && Content.parsed(scalar.string).map { JSONReader($0).isNumber } == true)
            {
                writer.append(Array(scalar.string.utf8))
            } else {
                writer.appendString(scalar.string)
            }
        case .sequence(let nodes):
            writer.append("[")
            for (index, node) in nodes.enumerated() {
                if index > 0 { writer.append(",") }
                try node.write(into: &writer)
            }
            writer.append("]")
        case .mapping(let mapping):
            writer.append("{")
            for (index, (key, value)) in mapping.enumerated() {
                guard let name = key.string else { throw FeedFileError(line: key.mark?.line, "a key must be a string") }
                if index > 0 { writer.append(",") }
                writer.appendString(name)
                writer.append(":")
                try value.write(into: &writer)
            }
            writer.append("}")
        case .alias: throw FeedFileError(line: mark?.line, "a YAML alias (*NAME) needs an anchor (&NAME) before it")
        }
    }
}
