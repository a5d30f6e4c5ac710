import ArgumentParser
import Diffable
import DiffableInput

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

    var pointer: String {
        switch self {
        case .id: "id"
        case .kind: "kind"
        case .content(let path): path.pointer
        }
    }

    func value(in item: Item) -> Content? {
        switch self {
        case .id: .string("\(item.id)".utf8)
        case .kind: item.kind.map { .string("\($0)".utf8) }
        case .content(let path): item.content.flatMap { JSONReader($0).value(at: path)?.content }
        }
    }

    func text(in item: Item) -> String { value(in: item).map { JSONReader($0).plainText } ?? "" }
}
