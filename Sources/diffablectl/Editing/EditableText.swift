import Diffable
import DiffableInput
import DiffableJSON

enum EditableText {
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

    private static func opening(id: String, kind: Kind?, content: Content?) -> String {
        var members: [(String, Content)] = [("id", .string(id.utf8))]
        if let kind { members.append(("kind", .string("\(kind)".utf8))) }
        if let content { members.append(("content", content)) }
        return String(Content.object(members).description.dropLast())
    }

    static func text(of content: Content?) -> String {
        guard let content else { return "null\n" }
        return "\(indented(JSONReader(content), ""))\n"
    }

    private static func indented(_ view: JSONReader, _ indentation: String) -> String {
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

    static func content(of bytes: [UInt8]) throws(InputError) -> Content? {
        let text = try checkedText(bytes)
        let content: Result<Content?, JSONError> = text.withUnsafeBytes { bytes in
            Result { () throws(JSONError) in try Content(json: bytes, depthMax: JSONReader.depthMax) }
        }
        do { return try content.get() } catch { throw InputError(error, in: text) }
    }

    /// Reads the edited list. Items without `expanded` keep their expansion.
    static func snapshot(of bytes: [UInt8], from base: Snapshot) throws(InputError) -> Snapshot {
        let text = try checkedText(bytes)
        guard let list = try JSONRows.snapshot(in: text) else {
            throw InputError("the edited text is not a list; its form must be {\"sections\":[…]}")
        }
        do throws(OperationError) {
            // If the list's own content is missing now, the user has deleted it.
            return try Snapshot(list.sections, content: list.content ?? .some(nil), expansionFrom: base)
        } catch {
            switch error {
            case .duplicateItem(let id):
                throw InputError(
                    "duplicate item \(quoted(id)): an id can appear only once in a list; delete or rename one of the two"
                )
            case .duplicateSection(let id):
                throw InputError(
                    "duplicate section \(quoted(id)): an id can appear only once in a list; merge or rename one of the two"
                )
            default: throw InputError("the edited list is not valid: \(error)")
            }
        }
    }
}
