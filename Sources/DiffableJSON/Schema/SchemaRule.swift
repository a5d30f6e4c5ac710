/// A schema that checks something, in flat form: it refers to what is in its `Schema`'s arrays by place.
struct SchemaRule: Sendable {
    var types = SchemaTypes.any
    /// Types of which this rule accepts every value, whatever is in it.
    var freeTypes = SchemaTypes()

    /// In the schema's tables of names and properties.
    var properties = 0..<0
    /// The property that most contents have first: the schema's first.
    var firstProperty = -1
    var requiredCount = 0
    /// For members that are not named in `properties`.
    var additional = SchemaReference.anything
    var items = SchemaReference.anything

    var minLength = 0
    var maxLength = Int.max
    var minItems = 0
    var maxItems = Int.max

    /// Whole numbers of up to 18 digits are within the bounds if they are in here; of all others the bounds say.
    var plainRange = Int.min...Int.max
    /// In `Schema.bounds`.
    var bounds = 0..<0

    /// A set in the table of constants, or nil; one for `const`.
    var enumeration: Range<Int>?
    var constant: Range<Int>?
}

/// Which schema a value has to fit: a place in `Schema.rules`, or what takes no looking up.
struct SchemaReference: Equatable, Sendable {
    let place: Int32

    static let anything = SchemaReference(place: -1)
    static let nothing = SchemaReference(place: -2)
}

/// A member that a schema names in `properties` or `required`.
struct SchemaProperty: Sendable {
    var schema: SchemaReference
    /// Where it stands in `required`, or -1.
    var requirement: Int
    /// The property that stands behind it in the schema: most contents have their members in the same order.
    var next: Int
    /// Whether `properties` has it.
    var isDeclared: Bool
    /// Whether a text without escapes can have it: one with a quote, a backslash or a control character is never looked
    /// for where a member's name has not been read to its end.
    var isPlain: Bool
}

/// What `minimum`, `maximum` and the exclusive ones say.
struct SchemaBound: Sendable {
    var keyword: SchemaKeyword
    var number: DecimalNumber.Stored
    /// For messages.
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
