struct SchemaTypes: OptionSet, Sendable {
    let rawValue: UInt8

    static let null = SchemaTypes(rawValue: 1)
    static let boolean = SchemaTypes(rawValue: 1 << 1)
    /// A number without a fraction, including 1.0.
    static let integer = SchemaTypes(rawValue: 1 << 2)
    static let number = SchemaTypes(rawValue: 1 << 3)
    static let string = SchemaTypes(rawValue: 1 << 4)
    static let array = SchemaTypes(rawValue: 1 << 5)
    static let object = SchemaTypes(rawValue: 1 << 6)

    static let any: SchemaTypes = [.null, .boolean, .integer, .number, .string, .array, .object]

    static func named(_ name: JSONString) -> SchemaTypes? {
        switch name {
        case "null": .null
        case "boolean": .boolean
        case "integer": .integer
        case "number": .number
        case "string": .string
        case "array": .array
        case "object": .object
        default: nil
        }
    }

    static let names = ["string", "number", "integer", "boolean", "null", "array", "object"]

    /// For messages: `a string or null`.
    var phrase: String {
        let phrases: [(SchemaTypes, String)] = [
            (.string, "a string"), (.number, "a number"), (.integer, "an integer"), (.boolean, "true or false"),
            (.array, "an array"), (.object, "an object"), (.null, "null"),
        ]
        return phrases.filter { contains($0.0) }.map(\.1).asAlternatives
    }
}

extension [String] {
    var asAlternatives: String {
        guard count > 1, let last else { return first ?? "" }
        return "\(dropLast().joined(separator: ", ")) or \(last)"
    }
}
