import Diffable

/// The lines that `show -o jsonl` writes: one for the list's own content, if it has any, and one for each section, followed by
/// the lines of its items.
///
///     {"content":{"title":"Tasks"}}
///     {"section":"today","content":{"header":"Today"}}
///     {"section":"today","id":"milk","kind":"task","expanded":true,"content":{"text":"Buy milk"}}
///     {"section":"today","parent":"milk","id":"oat"}
///
/// A row from another program cannot be mistaken for a section or for the list's content, because those have no id.
struct ListLines {
    private(set) var content: Content?
    private(set) var sections: [Section] = []
    private(set) var rows: [Row] = []
    private var sectionIDs: Set<SectionID> = []

    /// Nil for rows of any other kind.
    init?(_ lines: [Row]) throws(InputError) {
        var lines = lines[...]
        if let first = lines.first.map({ JSONReader($0.content) }), first.memberNames == ["content"] {
            content = Self.content(of: first)
            lines = lines.dropFirst()
        }
        guard lines.first.map({ Self.isSection(JSONReader($0.content)) }) ?? (content != nil) else { return nil }
        for line in lines {
            let view = JSONReader(line.content)
            if Self.isSection(view) { try addSection(view, line.line) } else { try addItem(view, line.line) }
        }
    }

    private static let itemMembers = ["section", "parent", "id", "kind", "expanded", "content"]

    private static func isSection(_ view: JSONReader) -> Bool {
        let names = view.memberNames
        return view.member("section")?.isString == true && names.allSatisfy { $0 == "section" || $0 == "content" }
    }

    private mutating func addSection(_ view: JSONReader, _ line: Int) throws(InputError) {
        let section = Section(id: try Self.section(of: view, line), content: Self.content(of: view))
        guard sectionIDs.insert(section.id).inserted else {
            throw InputError(
                line: line,
                "duplicate section \(quoted(section.id)): an id can appear only once in a list; merge or rename one")
        }
        sections.append(section)
    }

    private mutating func addItem(_ view: JSONReader, _ line: Int) throws(InputError) {
        if let unknown = view.memberNames.first(where: { !Self.itemMembers.contains($0) }) {
            throw InputError(
                line: line,
                "an item as diffablectl show -o jsonl writes it cannot have \(unknown.debugDescription), only "
                    + "\(Self.itemMembers.joined(separator: ", "))")
        }
        guard let id = view.member("id")?.text else { throw InputError(line: line, "the item has no \"id\"; add one") }
        var kind: Kind?
        if let name = view.member("kind"), !name.isNull {
            kind = try Self.identifier(name.plainText, "the kind", line)
        }
        let expanded = view.member("expanded").map(\.json)
        guard [nil, "true", "false"].contains(expanded) else {
            throw InputError(line: line, "expanded must be true or false, not \(expanded ?? "")")
        }
        rows.append(
            Row(
                content: .null, line: line, id: id, parent: view.member("parent")?.text,
                item: Row.WrittenItem(
                    section: try Self.section(of: view, line), kind: kind, content: Self.content(of: view),
                    isExpanded: expanded.map { $0 == "true" })))
    }

    private static func section(of view: JSONReader, _ line: Int) throws(InputError) -> SectionID {
        guard let name = view.member("section")?.text else {
            throw InputError(line: line, "the item has no \"section\"; add the id of its section")
        }
        return try identifier(String(decoding: name, as: UTF8.self), "the section's id", line)
    }

    private static func content(of view: JSONReader) -> Content? {
        view.member("content").flatMap { $0.isNull ? nil : $0.content }
    }

    private static func identifier<Named>(
        _ text: String, _ what: String, _ line: Int
    ) throws(InputError) -> Identifier<Named> {
        do throws(IdentifierError) { return try Identifier(text) } catch {
            throw InputError(line: line, "\(what) \(error)")
        }
    }
}
