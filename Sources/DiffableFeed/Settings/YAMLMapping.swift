import Diffable
import DiffableInput
import DiffableJSON
import Yams

/// A mapping of the file, of which each key is taken once. What is left over at the end is unknown.
struct YAMLMapping {
    /// A key's value, and where it stands.
    struct Member {
        var name: String
        var line: Int?
        var node: Node

        func error(_ problem: String) -> FeedFileError { FeedFileError(line: line, key: name, problem) }
    }

    let line: Int?
    private var members: [Member] = []

    /// - Parameter example: what it may look like.
    init(
        _ node: Node, of what: String, suchAs example: String = "`list: mail` and the lines below it"
    ) throws(FeedFileError) {
        guard case .mapping(let mapping) = node else {
            throw FeedFileError(
                line: node.mark?.line, "\(what) is a mapping, such as \(example)")
        }
        line = node.mark?.line
        for (key, value) in mapping {
            members.append(Member(name: key.string ?? "?", line: key.mark?.line, node: value))
        }
    }

    func has(_ name: String) -> Bool { members.contains { $0.name == name } }

    var names: [String] { members.map(\.name) }

    /// The member of this name, once.
    mutating func take(_ name: String) -> Member? {
        members.firstIndex { $0.name == name }.map { members.remove(at: $0) }
    }

    /// Refuses a key that is none.
    func refuseUnknown(among known: [String]) throws(FeedFileError) {
        let errors = members.filter { !known.contains($0.name) }.map { member in
            let suggestion =
                nearestName(to: member.name, among: known).map { "did you mean \($0)?" }
                ?? "the keys are \(known.joined(separator: ", "))"
            return member.error("unknown key; \(suggestion)")
        }
        if let all = FeedFileError(errors) { throw all }
    }

    /// Refuses what nobody took.
    func refuseRest() throws(FeedFileError) {
        guard let member = members.first else { return }
        throw member.error("it is of no use beside this source")
    }
}

extension YAMLMapping.Member {
    /// One text, also one that YAML takes for a number.
    func text() throws(FeedFileError) -> String {
        guard case .scalar(let scalar) = node else { throw error("it is one value") }
        guard !scalar.isNull, !scalar.string.isEmpty else { throw error("it is one value, which is missing") }
        return scalar.string
    }

    /// One text or several.
    func texts() throws(FeedFileError) -> [String] {
        guard case .sequence(let nodes) = node else { return [try text()] }
        var texts: [String] = []
        for node in nodes { texts.append(try Self(name: name, line: node.mark?.line ?? line, node: node).text()) }
        guard !texts.isEmpty else { throw error("it is empty") }
        return texts
    }

    func truth() throws(FeedFileError) -> Bool {
        switch try text() {
        case "true": true
        case "false": false
        default: throw error("it is true or false")
        }
    }

    func choice<Choice: RawRepresentable<String> & CaseIterable>(of _: Choice.Type) throws(FeedFileError) -> Choice {
        let text = try text()
        guard let choice = Choice(rawValue: text) else {
            let all = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw error("“\(text)” is none of \(all)")
        }
        return choice
    }

    func time() throws(FeedFileError) -> Duration {
        let text = try text()
        guard let time = TimeSpan(text)?.duration, time > .zero else {
            throw error("“\(text)” is no time; write 500ms, 2s, 5m or 1h")
        }
        return time
    }

    /// Any value as JSON.
    func json() throws(FeedFileError) -> Content {
        var writer = ByteWriter()
        do throws(FeedFileError) { try node.write(into: &writer) } catch {
            throw FeedFileError(line: error.line ?? line, key: name, error.problem)
        }
        return Content(writer.bytes)
    }

    /// The members of an object, each as JSON.
    func object() throws(FeedFileError) -> [(name: String, value: Content)] {
        guard case .mapping(let mapping) = node else { throw error("it is a mapping, such as {icon: 📦}") }
        var members: [(name: String, value: Content)] = []
        for (key, value) in mapping {
            let member = Self(name: "\(name).\(key.string ?? "?")", line: key.mark?.line, node: value)
            members.append((key.string ?? "?", try member.json()))
        }
        return members
    }
}

extension Node.Scalar {
    /// Whether nothing, or null, was written without quotation marks.
    fileprivate var isNull: Bool { style == .plain && ["", "~", "null", "Null", "NULL"].contains(string) }
}

extension Node {
    /// YAML as the JSON that it means: true, false, null and JSON's numbers where they are written without quotation marks,
    /// and text for all else.
    fileprivate func write(into writer: inout ByteWriter) throws(FeedFileError) {
        switch self {
        case .scalar(let scalar):
            if scalar.isNull { return writer.append("null") }
            let isWord = scalar.style == .plain && ["true", "false"].contains(scalar.string)
            if isWord || (scalar.style == .plain && Content.parsed(scalar.string).map { JSONView($0).isNumber } == true)
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
                guard let name = key.string else { throw FeedFileError(line: key.mark?.line, "a name is one text") }
                if index > 0 { writer.append(",") }
                writer.appendString(name)
                writer.append(":")
                try value.write(into: &writer)
            }
            writer.append("}")
        case .alias: throw FeedFileError(line: mark?.line, "an alias leads nowhere")
        }
    }
}
