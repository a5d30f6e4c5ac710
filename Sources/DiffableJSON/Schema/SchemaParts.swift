struct SchemaParts {
    var types: SchemaTypes?
    var properties: [(name: [UInt8], schema: SchemaReference)] = []
    var required: [[UInt8]] = []
    var additional = SchemaReference.anything
    var items = SchemaReference.anything
    var enumeration: Constants?
    var constant: Constants?
    var bounds: [SchemaBound] = []
    var lengths = SchemaRule()

    struct Constants {
        /// In their canonical form.
        var values: [[UInt8]]
        var text: String
    }

    /// Whether it has only annotations, or an equivalent.
    var acceptAnything: Bool {
        freeTypes == .any && properties.isEmpty && required.isEmpty
    }

    /// The part of the rule for single values; references are filled in later.
    var rule: SchemaRule {
        var rule = lengths
        rule.types = types ?? .any
        rule.additional = additional
        rule.items = items
        for bound in bounds { rule.plainRange = bound.narrowing(rule.plainRange) }
        return rule
    }

    var freeTypes: SchemaTypes {
        if enumeration != nil || constant != nil { return [] }
        var free = types ?? .any
        if free.contains(.number) { free.insert(.integer) }
        if lengths.minLength > 0 || lengths.maxLength < .max { free.remove(.string) }
        if lengths.minItems > 0 || lengths.maxItems < .max || items != .anything { free.remove(.array) }
        if !properties.isEmpty || !required.isEmpty || additional != .anything { free.remove(.object) }
        if !bounds.isEmpty { free.subtract([.integer, .number]) }
        return free
    }
}

// MARK: - Reading

extension SchemaParts {
    mutating func read(_ keyword: SchemaKeyword, _ decoder: inout Decoder) throws(DecodingError) {
        switch keyword {
        case .type: types = try Self.types(&decoder)
        case .required: required = try Self.required(&decoder)
        case .enum: enumeration = try Self.enumeration(&decoder)
        case .const: constant = try Self.constant(&decoder)
        case .minimum, .maximum, .exclusiveMinimum, .exclusiveMaximum:
            bounds.append(try Self.bound(keyword, &decoder))
        case .minLength: lengths.minLength = try Self.count(keyword, &decoder)
        case .maxLength: lengths.maxLength = try Self.count(keyword, &decoder)
        case .minItems: lengths.minItems = try Self.count(keyword, &decoder)
        case .maxItems: lengths.maxItems = try Self.count(keyword, &decoder)
        case .title: _ = try decoder.string("title")
        case .description: _ = try decoder.string("description")
        case .format: _ = try decoder.string("format")
        case .examples: try decoder.array("examples") { _, decoder throws(DecodingError) in try decoder.skip() }
        case .default: try decoder.skip()
        case .schema: try Self.checkDialect(&decoder)
        case .properties, .additionalProperties, .items: preconditionFailure("\(keyword) has schemas in it")
        }
    }

    private static func types(_ decoder: inout Decoder) throws(DecodingError) -> SchemaTypes {
        guard decoder.scanner.peek() == UInt8(ascii: "[") else { return try type(&decoder) }
        var types = SchemaTypes()
        let start = decoder.scanner.offset
        try decoder.array("type") { _, decoder throws(DecodingError) in
            let element = decoder
            let type = try type(&decoder)
            guard !types.contains(type) else {
                throw .invalid("type names a type twice; remove one of the two", at: element.scanner.offset)
            }
            types.insert(type)
        }
        guard !types.isEmpty else { throw .invalid("type must have at least one name", at: start) }
        return types
    }

    private static func type(_ decoder: inout Decoder) throws(DecodingError) -> SchemaTypes {
        let before = decoder
        let names = SchemaTypes.names.asAlternatives
        guard decoder.scanner.peek() == UInt8(ascii: "\"") else { throw before.unexpected("type", names) }
        let name = try decoder.string("type")
        if let type = SchemaTypes.named(name) { return type }
        guard let near = nearestName(to: name.text, among: SchemaTypes.names) else {
            throw before.unexpected("type", names)
        }
        throw .invalid("\"\(name.text)\" is not a type; did you mean \"\(near)\"?", at: name.offset)
    }

    private static func required(_ decoder: inout Decoder) throws(DecodingError) -> [[UInt8]] {
        var names: [[UInt8]] = []
        var known: Set<[UInt8]> = []
        try decoder.array("required") { _, decoder throws(DecodingError) in
            let name = try decoder.string("a required member's name")
            let bytes = name.withUTF8 { Array($0) }
            guard known.insert(bytes).inserted else {
                throw .invalid("required has \(name.text.quoted) twice; remove one of the two", at: name.offset)
            }
            names.append(bytes)
        }
        return names
    }

    private static func enumeration(_ decoder: inout Decoder) throws(DecodingError) -> Constants {
        var values: [[UInt8]] = []
        var texts: [String] = []
        try decoder.array("enum") { _, decoder throws(DecodingError) in
            let constant = try constant(&decoder)
            values += constant.values
            texts.append(constant.text)
        }
        return Constants(values: values, text: texts.asAlternatives.shown)
    }

    private static func constant(_ decoder: inout Decoder) throws(DecodingError) -> Constants {
        let value = try decoder.scan { scanner throws(JSONError) in try scanner.value() }
        guard let canonical = value.withCompactBytes({ CanonicalValue.bytes(of: CompactValue($0)) }) else {
            throw .invalid("an object has a duplicate member, so no value can be equal to it", at: value.offset)
        }
        let text = value.withCompactBytes { String(decoding: $0, as: UTF8.self).shown }
        return Constants(values: [canonical], text: text)
    }

    private static func bound(_ keyword: SchemaKeyword, _ decoder: inout Decoder) throws(DecodingError) -> SchemaBound {
        let before = decoder
        let value = try decoder.scan { scanner throws(JSONError) in try scanner.value() }
        guard value.isNumber else { throw before.unexpected(keyword.text, "a number") }
        return SchemaBound(
            keyword: keyword, number: DecimalNumber.Stored(DecimalNumber(value.bytes)),
            text: String(decoding: value.bytes, as: UTF8.self).shown)
    }

    /// Reads an integer, which may be written as 2.0 and exceed any possible length.
    private static func count(_ keyword: SchemaKeyword, _ decoder: inout Decoder) throws(DecodingError) -> Int {
        let before = decoder
        let value = try decoder.scan { scanner throws(JSONError) in try scanner.value() }
        let expected = "a non-negative integer"
        guard value.isNumber else { throw before.unexpected(keyword.text, expected) }
        let number = DecimalNumber(value.bytes)
        guard number.isInteger, number.isZero || !number.isNegative else {
            throw before.unexpected(keyword.text, expected)
        }
        var text: [UInt8] = []
        number.appendCanonical(to: &text)
        // A length is multiplied with the bytes of a scalar.
        return Int(String(decoding: text, as: UTF8.self)).map { min($0, .max / 16) } ?? .max / 16
    }

    private static func checkDialect(_ decoder: inout Decoder) throws(DecodingError) {
        let dialect = "https://json-schema.org/draft/2020-12/schema"
        let name = try decoder.string("$schema")
        guard name.text == dialect || name.text == dialect + "#" else {
            throw .invalid(
                "$schema must be \"\(dialect)\", not \(name.text.quoted); other versions of JSON Schema are not supported",
                at: name.offset)
        }
    }
}

extension SchemaBound {
    /// The integers of a range that are within this bound too; none if that needs an exact comparison.
    func narrowing(_ range: ClosedRange<Int>) -> ClosedRange<Int> {
        // No content has so large an integer in so few digits.
        let none = Int.max...Int.max
        guard let value = plainValue else { return none }
        let allowed: ClosedRange<Int> =
            switch keyword {
            case .minimum: value...Int.max
            case .exclusiveMinimum: value + 1...Int.max
            case .maximum: Int.min...value
            default: Int.min...value - 1
            }
        return range.overlaps(allowed) ? range.clamped(to: allowed) : none
    }

    /// Nil for a number with a fraction or with many digits.
    private var plainValue: Int? {
        var text: [UInt8] = []
        number.withNumber { $0.appendCanonical(to: &text) }
        return Int(String(decoding: text, as: UTF8.self))
    }
}

extension JSONValue {
    fileprivate var isNumber: Bool {
        bytes.first.map { $0 == UInt8(ascii: "-") || JSONScanner.isDigit($0) } ?? false
    }
}

extension Decoder {
    fileprivate mutating func skip() throws(DecodingError) {
        try scan { scanner throws(JSONError) in try scanner.skipValue() }
    }
}
