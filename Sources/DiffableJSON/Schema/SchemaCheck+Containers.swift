#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension SchemaCheck {
    func endOfArray(at start: Int, _ place: Int) -> Int {
        let rule = rule(place)
        guard rule.pointee.types.contains(.array) else { return fail(.type, at: start, place) }
        if hasConstants(rule), !isConstant(copying: start..<endOfContainer(at: start), place) { return -1 }
        var length = 0
        var offset = start &+ 1
        if byte(at: offset) != UInt8(ascii: "]") {
            let items = rule.pointee.items
            while true {
                offset = end(ofMemberAt: offset, items, .items, at: offset, place)
                if offset < 0 { return -1 }
                length &+= 1
                let next = byte(at: offset)
                if next == UInt8(ascii: "]") { break }
                guard next == UInt8(ascii: ",") else { malformed() }
                offset &+= 1
            }
        }
        if length < rule.pointee.minItems { return fail(.minItems, at: start, place, length) }
        if length > rule.pointee.maxItems { return fail(.maxItems, at: start, place, length) }
        return offset &+ 1
    }

    /// The end of a value in an array or object, if it conforms; otherwise -1. `keyword` is the one that allows no value there.
    @inline(__always)
    private func end(
        ofMemberAt offset: Int, _ schema: SchemaReference, _ keyword: SchemaKeyword, at whole: Int, _ place: Int
    ) -> Int {
        if schema.place >= 0 { return end(ofValueAt: offset, Int(schema.place)) }
        return schema == .anything ? endOfAnything(at: offset) : fail(keyword, at: whole, place)
    }

    func endOfObject(at start: Int, _ place: Int) -> Int {
        let rule = rule(place)
        guard rule.pointee.types.contains(.object) else { return fail(.type, at: start, place) }
        if hasConstants(rule), !isConstant(copying: start..<endOfContainer(at: start), place) { return -1 }
        let words = (rule.pointee.requiredCount &+ 63) >> 6
        if words <= 1 {
            var seen: UInt64 = 0
            return withUnsafeMutablePointer(to: &seen) { endOfMembers(at: start, place, $0) }
        }
        return withUnsafeTemporaryAllocation(of: UInt64.self, capacity: words) { seen in
            seen.initialize(repeating: 0)
            return endOfMembers(at: start, place, seen.baseAddress.unsafelyUnwrapped)
        }
    }

    /// `seen` has a bit for each required member.
    @inline(__always)
    private func endOfMembers(at start: Int, _ place: Int, _ seen: UnsafeMutablePointer<UInt64>) -> Int {
        let rule = rule(place)
        var expected = rule.pointee.firstProperty
        var offset = start &+ 1
        if byte(at: offset) != UInt8(ascii: "}") {
            while true {
                guard byte(at: offset) == UInt8(ascii: "\"") else { malformed() }
                let name = offset
                var schema = rule.pointee.additional
                var keyword = SchemaKeyword.additionalProperties
                let (property, close) = property(at: name, rule, expected)
                if property >= 0 {
                    let found = properties.baseAddress.unsafelyUnwrapped + property
                    schema = found.pointee.schema
                    expected = found.pointee.next
                    if found.pointee.isDeclared { keyword = .properties }
                    let bit = found.pointee.requirement
                    if bit >= 0 { seen[bit &>> 6] |= 1 &<< UInt64(truncatingIfNeeded: bit & 63) }
                }
                guard byte(at: close &+ 1) == UInt8(ascii: ":") else { malformed() }
                offset = end(ofMemberAt: close &+ 2, schema, keyword, at: name, place)
                if offset < 0 { return -1 }
                let next = byte(at: offset)
                if next == UInt8(ascii: "}") { break }
                guard next == UInt8(ascii: ",") else { malformed() }
                offset &+= 1
            }
        }
        let missing = firstMissing(seen, of: rule.pointee.requiredCount)
        return missing < 0 ? offset &+ 1 : fail(.required, at: start, place, missing)
    }

    /// The first requirement that is not met, or -1.
    @inline(__always)
    private func firstMissing(_ seen: UnsafeMutablePointer<UInt64>, of required: Int) -> Int {
        var first = 0
        while first < required {
            let wanted: UInt64 = required &- first >= 64 ? .max : 1 &<< UInt64(required &- first) &- 1
            let missing = wanted & ~seen[first &>> 6]
            if missing != 0 { return first &+ missing.trailingZeroBitCount }
            first &+= 64
        }
        return -1
    }

    // MARK: - Names

    /// The property whose name is at `offset`, or -1; and the position of the name's closing quote. `expected` is the property
    /// to try first, or -1.
    @inline(__always)
    private func property(at offset: Int, _ rule: Rule, _ expected: Int) -> (Int, close: Int) {
        if expected >= 0 {
            let key = names.keys.baseAddress.unsafelyUnwrapped + expected
            if stands(key, at: offset &+ 1) { return (expected, offset &+ 1 &+ key.pointee.count) }
        }
        let name = string(at: offset)
        if rule.pointee.properties.isEmpty { return (-1, name.close) }
        return (place(of: name, at: offset, rule), name.close)
    }

    /// Whether the property's name and a closing quote are at this offset. The property has to be plain: a quote in the text
    /// ends a name.
    @inline(__always)
    private func stands(_ key: UnsafePointer<ByteTable.Key>, at start: Int) -> Bool {
        let length = key.pointee.count
        guard start &+ 8 <= count, start &+ length < count, word(at: start) & key.pointee.mask == key.pointee.word,
            text[unchecked: start &+ length] == UInt8(ascii: "\"")
        else { return false }
        if length <= 8 { return true }
        return memcmp(
            text.baseAddress.unsafelyUnwrapped + start + 8,
            names.bytes.baseAddress.unsafelyUnwrapped + key.pointee.start + 8, length &- 8) == 0
    }

    @inline(never)
    private func place(of name: StringPlace, at offset: Int, _ rule: Rule) -> Int {
        let bytes = text.slice(offset &+ 1..<name.close)
        if name.hasEscapes {
            let string = JSONString(bytes: bytes, offset: offset + 1, hasEscapes: true)
            return string.withUTF8 { names.place(of: $0, in: rule.pointee.properties) } ?? -1
        }
        return names.place(of: bytes, in: rule.pointee.properties) ?? -1
    }
}
