import ArgumentParser
import Diffable
import DiffableClient
import DiffableInput
import DiffableJSON

struct ConditionOptions: ParsableArguments {
    @Option(
        name: .customLong("where"),
        help: ArgumentHelp(
            "Only items that match: done, '!done', state=open, 'cpu>10', text~milk, 'due?', or JSON. If repeated, all must match.",
            valueName: "condition"))
    var conditions: [String] = []

    func validate() throws { _ = try json() }

    var isEmpty: Bool { conditions.isEmpty }

    func json() throws -> Content? { try Self.json(of: conditions) }

    var namedFields: [NamedField] {
        get throws { try Self.namedFields(of: conditions, "--where") }
    }

    static func namedFields(of conditions: [String], _ option: String) throws -> [NamedField] {
        try conditions.flatMap { text in
            isJSON(text)
                ? NamedField.all(in: JSONReader(try parsed(text)), option)
                : [try ShortCondition(text).namedField(option)].compactMap(\.self)
        }
    }

    private static func isJSON(_ text: String) -> Bool { text.drop { $0.isWhitespace }.hasPrefix("{") }

    static func json(of conditions: [String]) throws -> Content? {
        let parts = try conditions.map { isJSON($0) ? try parsed($0) : try ShortCondition($0).json }
        return parts.count > 1 ? .object([("and", .array(parts))]) : parts.first
    }

    private static func parsed(_ condition: String) throws -> Content {
        let content: Result<Content?, JSONError> = Array(condition.utf8).withUnsafeBytes { bytes in
            Result { () throws(JSONError) in try Content(json: bytes, depthMax: JSONReader.depthMax) }
        }
        switch content {
        case .success(let content): return content ?? .null
        case .failure(let error):
            throw ValidationError(
                "the condition \(condition.debugDescription) begins with {, but is not valid JSON: \(error)")
        }
    }
}

/// The items that match a condition, without the ancestors that a view also shows.
struct ItemMatcher: Sendable {
    private let view: View
    let options: ListOptions

    init(_ condition: Content?) throws {
        let json = Content.object(condition.map { [("where", $0)] } ?? []).description
        view = try checkedView(json)
        options = ListOptions(view: try ListView(json: json))
    }

    func items(in snapshot: Snapshot) -> [Item] {
        var items: [Item] = []
        var cursor = SnapshotCursor(snapshot)
        while let element = cursor.next() {
            guard case .item(let record, _, let isExpanded, _) = element else { continue }
            let item = Item(record: record, isExpanded: isExpanded)
            if view.isMet(by: item) { items.append(item) }
        }
        return items
    }
}

/// Makes a view from JSON in the form of the protocol. An error names the option that was typed.
func checkedView(_ json: String) throws -> View {
    let view: Result<View, DecodingError> = Array(json.utf8).withUnsafeBytes { text in
        Result { () throws(DecodingError) in try View(json: text) }
    }
    switch view {
    case .success(let view): return view
    case .failure(let error):
        // The offset is left out, because the user did not type this text.
        throw ValidationError(error.statement)
    }
}
