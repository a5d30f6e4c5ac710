import ArgumentParser
import Diffable
import DiffableInput

/// A field of an item: `id`, `kind`, or a path into its content.
enum ItemField: Hashable, Sendable {
    case id
    case kind
    case content(FieldPath)

    /// A member of the content with the name `id` is written `.id`.
    init(checking text: String) throws {
        switch text {
        case "id": self = .id
        case "kind": self = .kind
        default: self = .content(try FieldPath(checking: text))
        }
    }

    /// The path in the form of the protocol.
    var pointer: String {
        switch self {
        case .id: "id"
        case .kind: "kind"
        case .content(let path): path.pointer
        }
    }

    /// The value as JSON; nil if there is none.
    func value(in item: Item) -> Content? {
        switch self {
        case .id: .string("\(item.id)".utf8)
        case .kind: item.kind.map { .string("\($0)".utf8) }
        case .content(let path): item.content.flatMap { JSONView($0).value(at: path)?.content }
        }
    }

    /// The text of a string, or the JSON of any other value; empty if there is none.
    func text(in item: Item) -> String { value(in: item).map { JSONView($0).plainText } ?? "" }
}
