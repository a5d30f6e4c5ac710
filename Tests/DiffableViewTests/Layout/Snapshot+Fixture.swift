import Diffable
import DiffableJSON
import DiffableView

extension Snapshot {
    /// Parses handwritten JSON: `{"content", "sections": [{"id", "content", "items": [...]}]}`, where an item is `{"id", "kind",
    /// "content", "children"}`. A parent is expanded unless it has `"collapsed": true`.
    init(fixture json: String) throws {
        let value = ContentValue(try Content(json: json))
        try self.init(
            (value["sections"]?.elements ?? []).map { section in
                Section(
                    id: try SectionID(section["id"]?.text ?? "main"), content: section["content"]?.content,
                    items: try (section["items"]?.elements ?? []).map { try Item(fixture: $0) })
            }, content: value["content"]?.content)
    }
}

extension Item {
    fileprivate init(fixture value: ContentValue) throws {
        let children = try (value["children"]?.elements ?? []).map { try Item(fixture: $0) }
        self.init(
            id: try ItemID(value["id"]?.text ?? value.text ?? "?"), kind: try value["kind"]?.text.map { try Kind($0) },
            content: value["content"]?.content,
            isExpanded: !children.isEmpty && value["collapsed"]?.boolean != true, children: children)
    }
}

extension Content {
    /// Returns an object of strings.
    static func ofTexts(_ members: [String: String]) -> Content? {
        ContentValue.object(members.sorted { $0.key < $1.key }.map { .init($0.key, .text($0.value)) }).content
    }
}
