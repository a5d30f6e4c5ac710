/// One pass over a content that was checked to be JSON and compacted when it was read, in parallel with a schema. Offsets are
/// parameters and results, so that they stay in registers; -1 means that the value does not conform, and `failure` has the reason.
/// Every read is preceded by a comparison with the end, and text that is not JSON stops the daemon instead of reading on.
struct SchemaCheck {
    let text: UnsafeRawBufferPointer
    let rules: UnsafeBufferPointer<SchemaRule>
    let properties: UnsafeBufferPointer<SchemaProperty>
    let names: ByteTable.Borrowed
    let constants: ByteTable.Borrowed
    let bounds: UnsafeBufferPointer<SchemaBound>
    let failure: UnsafeMutablePointer<SchemaFailure>
    /// `text.count`, kept because the buffer would compute it for each byte.
    let count: Int

    init(
        _ text: UnsafeRawBufferPointer, rules: UnsafeBufferPointer<SchemaRule>,
        properties: UnsafeBufferPointer<SchemaProperty>, names: ByteTable.Borrowed, constants: ByteTable.Borrowed,
        bounds: UnsafeBufferPointer<SchemaBound>, failure: UnsafeMutablePointer<SchemaFailure>
    ) {
        self.text = text
        self.rules = rules
        self.properties = properties
        self.names = names
        self.constants = constants
        self.bounds = bounds
        self.failure = failure
        count = text.count
    }

    typealias Rule = UnsafePointer<SchemaRule>

    @inline(__always)
    func rule(_ place: Int) -> Rule { rules.baseAddress.unsafelyUnwrapped + place }

    /// The end of the value at `offset`, if it conforms to the rule; otherwise -1.
    func end(ofValueAt offset: Int, _ place: Int) -> Int {
        let rule = rule(place)
        switch byte(at: offset) {
        case UInt8(ascii: "\""):
            let string = string(at: offset)
            return rule.pointee.freeTypes.contains(.string) || fits(string, at: offset, place)
                ? string.close &+ 1 : -1
        case UInt8(ascii: "{"):
            return rule.pointee.freeTypes.contains(.object)
                ? endOfContainer(at: offset) : endOfObject(at: offset, place)
        case UInt8(ascii: "["):
            return rule.pointee.freeTypes.contains(.array)
                ? endOfContainer(at: offset) : endOfArray(at: offset, place)
        case UInt8(ascii: "t"): return endOfLiteral(at: offset, 4, .boolean, place)
        case UInt8(ascii: "f"): return endOfLiteral(at: offset, 5, .boolean, place)
        case UInt8(ascii: "n"): return endOfLiteral(at: offset, 4, .null, place)
        default: return endOfNumber(at: offset, place)
        }
    }

    @inline(never)
    func fail(_ keyword: SchemaKeyword, at offset: Int, _ place: Int, _ number: Int = 0) -> Int {
        failure.pointee = SchemaFailure(keyword: keyword, offset: offset, rule: place, number: number)
        return -1
    }

    // MARK: - Constants

    /// Whether a value equals one in `enum`, and the one in `const`. `value` has its canonical bytes; nil for a value that equals
    /// nothing.
    func isConstant(_ value: UnsafeRawBufferPointer?, at offset: Int, _ place: Int) -> Bool {
        let rule = rule(place)
        func has(_ set: Range<Int>) -> Bool { value.map { constants.place(of: $0, in: set) != nil } ?? false }
        if let enumeration = rule.pointee.enumeration, !has(enumeration) {
            return fail(.enum, at: offset, place) >= 0
        }
        if let constant = rule.pointee.constant, !has(constant) { return fail(.const, at: offset, place) >= 0 }
        return true
    }

    @inline(never)
    func isConstant(copying range: Range<Int>, _ place: Int) -> Bool {
        guard let canonical = CanonicalValue.bytes(of: CompactValue(text.slice(range))) else {
            return isConstant(nil, at: range.lowerBound, place)
        }
        return canonical.withUnsafeBytes { isConstant($0, at: range.lowerBound, place) }
    }

    @inline(__always)
    func hasConstants(_ rule: Rule) -> Bool { rule.pointee.enumeration != nil || rule.pointee.constant != nil }
}

/// The place where a content does not conform, with the keyword and the rule.
struct SchemaFailure {
    /// Nil for the schema `false`.
    var keyword: SchemaKeyword?
    var offset = 0
    var rule = 0
    /// The actual count, or the index of the missing requirement.
    var number = 0
}
