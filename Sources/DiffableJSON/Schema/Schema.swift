import Diffable

/// The rules for a content: JSON Schema (2020-12), with the keywords of `SchemaKeyword`.
///
///     let schema = try Schema(json: #"{"type":"object","required":["text"]}"#)
///     schema.check(content)?.description    // `the content must have the member "text"`
///
/// It is compiled once, into arrays without references, and a check is one pass over the content's bytes that neither makes a
/// tree nor allocates: O(length of the content · log(names of the schema)). Only a value that has to equal an array or an
/// object, or that is written in an unusual way (`1.50`, `"\u0061"`), is copied for comparison, once at each level.
///
/// Numbers are compared by their exact value, strings by scalars. Each occurrence of a duplicate member has to conform.
package struct Schema: Sendable {
    package let json: [UInt8]
    let root: SchemaReference
    let rules: [SchemaRule]
    /// The names of `properties`, at the same places.
    let names: ByteTable
    let properties: [SchemaProperty]
    let constants: ByteTable
    let bounds: [SchemaBound]
    /// The texts of `enum` and `const` in messages, by rule and keyword.
    let constantTexts: [ConstantKey: String]

    struct ConstantKey: Hashable, Sendable {
        var rule: Int
        var keyword: SchemaKeyword
    }

    /// The approximate size in bytes.
    var lengthInMemory: Int {
        // Names, constants and bounds are in the text too, and in tables that are about as long.
        Self.lengthOfEmpty + 3 * json.count + rules.count * MemoryLayout<SchemaRule>.stride
            + properties.count * MemoryLayout<SchemaProperty>.stride + bounds.count * MemoryLayout<SchemaBound>.stride
    }

    /// Bytes of a schema without any rule, with the name of its kind.
    private static let lengthOfEmpty = 192

    /// Throws the mistake in the schema, and its place.
    package init(
        compiling text: UnsafeRawBufferPointer, limits: SchemaLimits = .standard
    ) throws(DecodingError) {
        var decoder = Decoder(text, limits: .journal)
        var budget = SchemaBudget(limits)
        self = try decoder.schema(&budget)
        try decoder.end()
    }

    package init(json text: String, limits: SchemaLimits = .standard) throws(DecodingError) {
        var text = text
        text.makeContiguousUTF8()
        self = try Array(text.utf8).withUnsafeBufferPointer { bytes throws(DecodingError) in
            try Schema(compiling: UnsafeRawBufferPointer(bytes), limits: limits)
        }
    }

    init(json: [UInt8], root: SchemaReference, _ compiler: SchemaCompiler) {
        self.json = json
        self.root = root
        rules = compiler.rules
        names = compiler.names
        properties = compiler.properties
        constants = compiler.constants
        bounds = compiler.bounds
        constantTexts = compiler.constantTexts
    }

    /// Why a content does not conform, or nil. A missing content is checked as `null`, as in JSON.
    package func check(_ content: Content?) -> Violation? {
        guard let content else { return check(UnsafeRawBufferPointer(start: nil, count: 0)) }
        return content.bytes.withUnsafeBytes { check($0) }
    }

    /// `content` is empty for no content.
    package func check(_ content: UnsafeRawBufferPointer) -> Violation? {
        switch root {
        case .anything: return nil
        case .nothing: return violation(SchemaFailure(), in: content)
        default: break
        }
        var failure = SchemaFailure()
        let text = content.isEmpty ? Self.null : content
        return fits(text, &failure) ? nil : violation(failure, in: content)
    }

    static var null: UnsafeRawBufferPointer {
        let null: StaticString = "null"
        return UnsafeRawBufferPointer(start: null.utf8Start, count: null.utf8CodeUnitCount)
    }

    private func fits(_ text: UnsafeRawBufferPointer, _ failure: inout SchemaFailure) -> Bool {
        rules.withUnsafeBufferPointer { rules in
            properties.withUnsafeBufferPointer { properties in
                names.withBorrowed { names in
                    constants.withBorrowed { constants in
                        bounds.withUnsafeBufferPointer { bounds in
                            withUnsafeMutablePointer(to: &failure) { failure in
                                let check = SchemaCheck(
                                    text, rules: rules, properties: properties, names: names, constants: constants,
                                    bounds: bounds, failure: failure)
                                return check.end(ofValueAt: 0, Int(root.place)) >= 0
                            }
                        }
                    }
                }
            }
        }
    }
}
