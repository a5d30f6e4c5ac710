import Diffable

@testable import DiffableInput
@testable import diffablectl

/// Reads a text, and returns the result in the form of the tests.
func read(
    _ text: String, as format: InputFormat, _ fields: ItemBuilder.Fields = .none, columns: [String]? = nil
) throws -> Snapshot {
    let reader = InputReader(format: format, fields: fields, columns: columns)
    guard case .whole(let whole) = try reader.read(Array(text.utf8)) else { return Snapshot() }
    return try Snapshot(whole)
}

/// Returns the error message for a text, or the result.
func complaint(
    _ text: String, as format: InputFormat, _ fields: ItemBuilder.Fields = .none, columns: [String]? = nil
) -> String {
    do {
        return try read(text, as: format, fields, columns: columns).visualDescription
    } catch {
        return "\(error)"
    }
}

extension Snapshot {
    func content(_ id: ItemID) -> String? { item(id)?.content?.description }
}

extension ItemBuilder.Fields {
    init(id: String? = nil, section: String? = nil, parent: String? = nil, text: String? = nil) {
        self.init(
            id: id.flatMap { FieldPath(argument: $0) }, section: section.flatMap { FieldPath(argument: $0) },
            parent: parent.flatMap { FieldPath(argument: $0) }, text: text.flatMap { FieldPath(argument: $0) })
    }
}
