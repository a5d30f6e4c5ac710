import Diffable
import DiffableInput
import DiffableJSON

/// The JSON text for an editor, and the way back.
enum EditableText {
    /// A list, with an item on each line.
    static func text(of snapshot: Snapshot) -> String {
        let sections = snapshot.sections.map { section in
            opening(id: "\(section.id)", kind: nil, content: section.content)
                + body("items", section.items, indentation: "  ") + "}"
        }
        let content = snapshot.content.map { "\"content\":\($0),\n" } ?? ""
        return "{\(content)\"sections\":[\n  \(sections.joined(separator: ",\n  "))\n]}\n"
    }

    private static func text(of item: Item, indentation: String) -> String {
        opening(id: "\(item.id)", kind: item.kind, content: item.content)
            + (item.children.isEmpty ? "" : body("children", item.children, indentation: indentation)) + "}"
    }

    private static func body(_ name: String, _ items: [Item], indentation: String) -> String {
        guard !items.isEmpty else { return ",\"\(name)\":[]" }
        let inner = indentation + "  "
        let lines = items.map { inner + text(of: $0, indentation: inner) }
        return ",\"\(name)\":[\n\(lines.joined(separator: ",\n"))\n\(indentation)]"
    }

    /// The JSON of an item without its closing brace.
    private static func opening(id: String, kind: Kind?, content: Content?) -> String {
        var members: [(String, Content)] = [("id", .string(id.utf8))]
        if let kind { members.append(("kind", .string("\(kind)".utf8))) }
        if let content { members.append(("content", content)) }
        return String(Content.object(members).description.dropLast())
    }

    /// A content, with a member on each line.
    static func text(of content: Content?) -> String {
        guard let content else { return "null\n" }
        return "\(indented(JSONView(content), ""))\n"
    }

    private static func indented(_ view: JSONView, _ indentation: String) -> String {
        let inner = indentation + "  "
        let members = view.members
        if !members.isEmpty {
            let lines = members.map { "\(inner)\(Content.string($0.name.utf8)): \(indented($0.value, inner))" }
            return "{\n\(lines.joined(separator: ",\n"))\n\(indentation)}"
        }
        let elements = view.elements
        guard !elements.isEmpty else { return view.json }
        return "[\n\(elements.map { inner + indented($0, inner) }.joined(separator: ",\n"))\n\(indentation)]"
    }

    /// Nil for no content.
    static func content(of bytes: [UInt8]) throws(InputError) -> Content? {
        let text = try checkedText(bytes)
        let content: Result<Content?, JSONError> = text.withUnsafeBytes { bytes in
            Result { () throws(JSONError) in try Content(json: bytes, depthMax: JSONView.depthMax) }
        }
        do { return try content.get() } catch { throw InputError(error, in: text) }
    }

    /// Reads the edited list. Items without `expanded` keep their expansion.
    static func snapshot(of bytes: [UInt8], from base: Snapshot) throws(InputError) -> Snapshot {
        let text = try checkedText(bytes)
        guard let list = try JSONRows.snapshot(in: text) else {
            throw InputError("not a list: expected {\"sections\":[…]}")
        }
        do throws(OperationError) {
            // The user has deleted the list's own content if it is missing now.
            return try Snapshot(list.sections, content: list.content ?? .some(nil), expansionFrom: base)
        } catch {
            switch error {
            case .duplicateItem(let id):
                throw InputError("duplicate item \(quoted(id)): an id can appear only once in a list")
            case .duplicateSection(let id):
                throw InputError("duplicate section \(quoted(id)): an id can appear only once in a list")
            default: throw InputError("not a list: \(error)")
            }
        }
    }
}
