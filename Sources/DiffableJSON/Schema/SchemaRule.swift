/// A schema in flat form: it refers to elements of its `Schema`'s arrays by place.
struct SchemaRule: Sendable {
    var types = SchemaTypes.any
    /// Types of which this rule accepts every value, regardless of its content.
    var freeTypes = SchemaTypes()

    /// In the schema's tables of names and properties.
    var properties = 0..<0
    /// The property that most contents have first: the schema's first.
    var firstProperty = -1
    var requiredCount = 0
    var additional = SchemaReference.anything
    var items = SchemaReference.anything

    var minLength = 0
    var maxLength = Int.max
    var minItems = 0
    var maxItems = Int.max

    /// Integers of up to 18 digits are within the bounds if they are in this range; other numbers need `bounds`.
    var plainRange = Int.min...Int.max
    var bounds = 0..<0

    /// The positions of the values of `enum` in the table of constants, and of the only value of `const`; nil without
    /// the keyword.
    var enumeration: Range<Int>?
    var constant: Range<Int>?
}

/// The schema of a value: a place in `Schema.rules`, or one of two that need no lookup.
struct SchemaReference: Equatable, Sendable {
    let place: Int32

    static let anything = SchemaReference(place: -1)
    static let nothing = SchemaReference(place: -2)
}

/// A member that a schema names in `properties` or `required`.
struct SchemaProperty: Sendable {
    var schema: SchemaReference
    /// The index in `required`, or -1.
    var requirement: Int
    /// The index of the property to try first after this one: most contents have their members in the schema's order.
    var next: Int
    var isDeclared: Bool
    /// Whether a text without escapes can contain the name. A name with a quote, a backslash or a control character is looked
    /// up only after a member's name was read to its end.
    var isPlain: Bool
}

struct SchemaBound: Sendable {
    var keyword: SchemaKeyword
    var number: DecimalNumber.Stored
    var text: String

    func holds(_ number: DecimalNumber) -> Bool {
        let order = self.number.withNumber { number.compared(to: $0) }
        return switch keyword {
        case .minimum: order >= 0
        case .exclusiveMinimum: order > 0
        case .maximum: order <= 0
        default: order < 0
        }
    }
}
