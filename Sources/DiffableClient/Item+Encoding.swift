// `import DiffableClient` also imports lists, items and contents.
@_exported import Diffable
@_exported import DiffableJSON

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Content {
    /// Encodes a value of the program's own type as JSON, with members in the order of their names, so that equal values are
    /// equal contents. O(length).
    ///
    /// Throws the encoder's errors, and `JSONError` for a value that is `null`: no content is `nil`.
    public init(encoding value: some Encodable, encoder: JSONEncoder? = nil) throws {
        try self.init(json: Content.json(encoding: value, encoder))
    }

    init?(encodingUnlessNull value: some Encodable, encoder: JSONEncoder?) throws {
        let json = try Content.json(encoding: value, encoder)
        if json == "null" { return nil }
        try self.init(json: json)
    }

    private static func json(encoding value: some Encodable, _ encoder: JSONEncoder?) throws -> String {
        let encoder = encoder ?? JSONEncoder()
        encoder.outputFormatting.formUnion([.sortedKeys, .withoutEscapingSlashes])
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}

extension Item {
    /// An item whose content is a value of the program's own type. See `Content.init(encoding:)`.
    ///
    ///     try Item("milk", encoding: Todo(text: "Milk", done: false))
    public init(
        _ id: ItemID, kind: Kind? = nil, encoding value: some Encodable, isExpanded: Bool? = nil, children: [Item] = []
    ) throws {
        self.init(
            id: id, kind: kind, content: try Content(encoding: value), isExpanded: isExpanded, children: children)
    }
}

extension Identifier {
    /// A number as an identifier, in decimal.
    public init(_ number: some BinaryInteger) { self.init(stringLiteral: "\(number)") }

    /// A UUID as an identifier, in capitals and with hyphens.
    public init(_ uuid: UUID) { self.init(stringLiteral: uuid.uuidString) }
}
