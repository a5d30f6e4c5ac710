extension SchemaCheck {
    @inline(__always)
    func endOfLiteral(at offset: Int, _ length: Int, _ type: SchemaTypes, _ place: Int) -> Int {
        rule(place).pointee.freeTypes.contains(type) || fits(offset..<offset &+ length, type, place)
            ? offset &+ length : -1
    }

    @inline(never)
    private func fits(_ range: Range<Int>, _ type: SchemaTypes, _ place: Int) -> Bool {
        guard rule(place).pointee.types.contains(type) else {
            return fail(.type, at: range.lowerBound, place) >= 0
        }
        guard range.upperBound <= count else { malformed() }
        return isConstant(text.slice(range), at: range.lowerBound, place)
    }

    // MARK: - Strings

    func fits(_ string: StringPlace, at offset: Int, _ place: Int) -> Bool {
        let rule = rule(place)
        guard rule.pointee.types.contains(.string) else { return fail(.type, at: offset, place) >= 0 }
        // A scalar takes at least one byte, and at most twelve: "\ud83d\ude00".
        let byteCount = string.close &- offset &- 1
        if byteCount > rule.pointee.maxLength || byteCount < 12 * rule.pointee.minLength {
            let length = scalarCount(offset &+ 1..<string.close, string.hasEscapes)
            if length < rule.pointee.minLength { return fail(.minLength, at: offset, place, length) >= 0 }
            if length > rule.pointee.maxLength { return fail(.maxLength, at: offset, place, length) >= 0 }
        }
        guard hasConstants(rule) else { return true }
        if string.hasEscapes { return isConstant(copying: offset..<string.close &+ 1, place) }
        return isConstant(text.slice(offset..<string.close), at: offset, place)
    }

    private func scalarCount(_ range: Range<Int>, _ hasEscapes: Bool) -> Int {
        var length = 0
        var offset = range.lowerBound
        while offset < range.upperBound {
            let byte = text[unchecked: offset]
            // Continuation bytes of a scalar do not count.
            if byte & 0xC0 != 0x80 { length &+= 1 }
            offset &+= byte == UInt8(ascii: "\\") ? lengthOfEscape(at: offset) : 1
        }
        return length
    }

    /// The bytes of an escape: a pair of surrogates is one scalar.
    private func lengthOfEscape(at offset: Int) -> Int {
        guard byte(at: offset &+ 1) == UInt8(ascii: "u") else { return 2 }
        // The first half of a pair is D800 to DBFF; the second never appears alone.
        let isSurrogate =
            byte(at: offset &+ 2) | 0x20 == UInt8(ascii: "d") && byte(at: offset &+ 3) >= UInt8(ascii: "8")
        return isSurrogate ? 12 : 6
    }

    // MARK: - Numbers

    @inline(__always)
    func endOfNumber(at start: Int, _ place: Int) -> Int {
        let rule = rule(place)
        let isNegative = byte(at: start) == UInt8(ascii: "-")
        let first = isNegative ? start &+ 1 : start
        var offset = first
        var value = 0
        while true {
            let digit = byte(at: offset) &- 0x30
            guard digit < 10 else { break }
            value = value &* 10 &+ Int(digit)
            offset &+= 1
        }
        let next = byte(at: offset)
        let isPlain =
            offset &- first <= DecimalNumber.plainDigitsMax && offset > first && next != UInt8(ascii: ".")
            && next | 0x20 != UInt8(ascii: "e")
        guard isPlain else { return endOfUnusualNumber(at: start, place) }
        guard rule.pointee.types.contains(.integer) || rule.pointee.types.contains(.number) else {
            return fail(.type, at: start, place)
        }
        if isNegative { value = 0 &- value }
        guard rule.pointee.plainRange.contains(value) || fits(start..<offset, place) else { return -1 }
        guard hasConstants(rule) else { return offset }
        // -0 is 0.
        if isNegative, value == 0 { return isConstant(copying: start..<offset, place) ? offset : -1 }
        return isConstant(text.slice(start..<offset), at: start, place) ? offset : -1
    }

    @inline(never)
    private func endOfUnusualNumber(at start: Int, _ place: Int) -> Int {
        let rule = rule(place)
        let end = endOfNumberText(at: start)
        if !rule.pointee.types.contains(.number) {
            guard rule.pointee.types.contains(.integer), DecimalNumber(text.slice(start..<end)).isInteger else {
                return fail(.type, at: start, place)
            }
        }
        guard fits(start..<end, place) else { return -1 }
        return !hasConstants(rule) || isConstant(copying: start..<end, place) ? end : -1
    }

    /// Whether the number is within the bounds, by its exact value.
    @inline(never)
    private func fits(_ range: Range<Int>, _ place: Int) -> Bool {
        let bounds = rule(place).pointee.bounds
        if bounds.isEmpty { return true }
        let number = DecimalNumber(text.slice(range))
        for bound in bounds where !self.bounds[bound].holds(number) {
            return fail(self.bounds[bound].keyword, at: range.lowerBound, place) >= 0
        }
        return true
    }
}
