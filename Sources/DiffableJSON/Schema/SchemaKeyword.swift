/// The supported keywords of JSON Schema (2020-12). None refers to other schemas, combines them or matches patterns, so a check
/// takes one pass.
enum SchemaKeyword: UInt8, MemberName {
    case type, properties, required, additionalProperties, items, `enum`, const
    case minimum, maximum, exclusiveMinimum, exclusiveMaximum
    case minLength, maxLength, minItems, maxItems
    // Annotations: for users and programs that read the schema.
    case title, description, format, `default`, examples, schema

    /// `null` is a value like others.
    var takesNull: Bool { true }

    static func named(_ name: JSONString) -> SchemaKeyword? {
        switch name {
        case "type": .type
        case "properties": .properties
        case "required": .required
        case "additionalProperties": .additionalProperties
        case "items": .items
        case "enum": .enum
        case "const": .const
        case "minimum": .minimum
        case "maximum": .maximum
        case "exclusiveMinimum": .exclusiveMinimum
        case "exclusiveMaximum": .exclusiveMaximum
        case "minLength": .minLength
        case "maxLength": .maxLength
        case "minItems": .minItems
        case "maxItems": .maxItems
        case "title": .title
        case "description": .description
        case "format": .format
        case "default": .default
        case "examples": .examples
        case "$schema": .schema
        default: nil
        }
    }

    var text: String { self == .schema ? "$schema" : name }
}
