import ArgumentParser
import Diffable

/// A text with fields in braces, which are filled in for each change of an item: `{id}: {.text}`.
///
///     field = "id" | "kind" | "list" | "section" | "parent" | "revision" | "event" | path
///
/// `event` is insert, delete, change or move. `{{` and `}}` are braces. A missing value is empty.
struct Template: Sendable {
    private let parts: [Part]

    private enum Part: Sendable {
        case text(String)
        case list, section, parent, revision, event
        case item(ItemField)
    }

    init(_ text: String) throws {
        var parts: [Part] = []
        var literal = ""
        var rest = text[...]
        while let character = rest.popFirst() {
            if (character == "{" || character == "}"), rest.first == character {
                literal.append(character)
                rest.removeFirst()
            } else if character == "{" {
                guard let end = rest.firstIndex(of: "}") else {
                    throw ValidationError("\(text.debugDescription): a { has no }; add the }, or write {{ for a brace")
                }
                if !literal.isEmpty { parts.append(.text(literal)) }
                literal = ""
                parts.append(try Self.field(String(rest[..<end])))
                rest = rest[end...].dropFirst()
            } else if character == "}" {
                throw ValidationError("\(text.debugDescription): a } has no {; write }} for a brace")
            } else {
                literal.append(character)
            }
        }
        if !literal.isEmpty { parts.append(.text(literal)) }
        self.parts = parts
    }

    private static func field(_ name: String) throws -> Part {
        switch name {
        case "list": .list
        case "section": .section
        case "parent": .parent
        case "revision": .revision
        case "event": .event
        default: .item(try ItemField(checking: name))
        }
    }

    var beginsWithField: Bool {
        if case .text = parts.first { false } else { !parts.isEmpty }
    }

    var fields: [ItemField] {
        parts.compactMap { if case .item(let field) = $0 { field } else { nil } }
    }

    var hasFields: Bool {
        parts.contains { if case .text = $0 { false } else { true } }
    }

    /// Whether it has fields that only a change has.
    var isOfChange: Bool {
        parts.contains { part in
            switch part {
            case .revision, .event: true
            case .text, .list, .section, .parent, .item: false
            }
        }
    }

    var hasItemFields: Bool {
        parts.contains { part in
            switch part {
            case .text, .list, .revision: false
            case .section, .parent, .event, .item: true
            }
        }
    }

    func filled(for event: ItemEvent) -> String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .list: "\(event.list)"
            case .section: event.section?.description ?? ""
            case .parent: event.parent?.description ?? ""
            case .revision: "\(event.revision)"
            case .event: event.kind.rawValue
            case .item(let field): field.text(in: event.item)
            }
        }.joined()
    }
}
