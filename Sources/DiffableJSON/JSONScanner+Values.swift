extension JSONScanner {
    /// A number without fraction or exponent that fits 64 bits.
    package mutating func integer() throws(JSONError) -> Int {
        if let value = shortInteger() { return value }
        guard let first = peek(), first == UInt8(ascii: "-") || Self.isDigit(first) else {
            throw unexpected(.wholeNumber)
        }
        let start = offset
        try skipNumber()
        var value = 0
        let isNegative = first == UInt8(ascii: "-")
        for index in (isNegative ? start + 1 : start)..<offset {
            let byte = bytes[unchecked: index]
            guard Self.isDigit(byte) else {
                throw JSONError(offset: index, reason: .unexpectedByte(byte, expected: .wholeNumber))
            }
            let digit = Int(byte & 0x0F)
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (next, carry) = product.subtractingReportingOverflow(digit)
            if overflow || carry { throw JSONError(offset: start, reason: .invalidNumber) }
            value = next
        }
        // The sum is negative, because negative numbers have the larger range.
        if isNegative { return value }
        guard value != Int.min else { throw JSONError(offset: start, reason: .invalidNumber) }
        return -value
    }

    /// Reads an integer without a sign and with so few digits that it fits. Nil for any other, and then nothing was read.
    @inline(__always)
    private mutating func shortInteger() -> Int? {
        guard let first = peek() else { return nil }
        let limit = min(offset + 18, byteCount)
        var value = 0
        var end = offset
        while end < limit, Self.isDigit(bytes[unchecked: end]) {
            value = value &* 10 &+ Int(bytes[unchecked: end] & 0x0F)
            end += 1
        }
        if end == offset || first == UInt8(ascii: "0") && end > offset + 1 { return nil }
        if end < byteCount {
            let next = bytes[unchecked: end]
            // `e` and `E` differ in one bit.
            if Self.isDigit(next) || next == UInt8(ascii: ".") || next | 0x20 == UInt8(ascii: "e") { return nil }
        }
        offset = end
        return value
    }

    package mutating func boolean() throws(JSONError) -> Bool {
        switch peek() {
        case UInt8(ascii: "t"):
            try skipLiteral("true")
            return true
        case UInt8(ascii: "f"):
            try skipLiteral("false")
            return false
        default: throw unexpected(.boolean)
        }
    }

    @inline(__always)
    package mutating func readNull() throws(JSONError) -> Bool {
        guard peek() == UInt8(ascii: "n") else { return false }
        try skipLiteral("null")
        return true
    }

    /// Checks the next value, of any type, and returns it as a slice of the text.
    package mutating func value() throws(JSONError) -> JSONValue {
        _ = peek()
        let start = offset
        let before = whitespaceCount
        try skipValue()
        return JSONValue(
            bytes: bytes.slice(start..<offset), offset: start, isCompact: whitespaceCount == before)
    }

    /// Recursive, but never deeper than `depthMax`.
    package mutating func skipValue() throws(JSONError) {
        switch peek() {
        case UInt8(ascii: "\""):
            _ = try stringAtQuote()
        case UInt8(ascii: "{"):
            var object = try beginObject()
            while try nextMember(of: &object) != nil { try skipValue() }
        case UInt8(ascii: "["):
            var array = try beginArray()
            while try nextElement(of: &array) { try skipValue() }
        case UInt8(ascii: "t"): try skipLiteral("true")
        case UInt8(ascii: "f"): try skipLiteral("false")
        case UInt8(ascii: "n"): try skipLiteral("null")
        case let byte? where byte == UInt8(ascii: "-") || Self.isDigit(byte): try skipNumber()
        default: throw unexpected(.value)
        }
    }

    private mutating func skipLiteral(_ literal: StaticString) throws(JSONError) {
        let expected = UnsafeRawBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount)
        for byte in expected {
            guard offset < byteCount else { throw error(.unexpectedEnd) }
            guard bytes[unchecked: offset] == byte else { throw unexpected(.value) }
            offset += 1
        }
    }

    @inline(__always)
    static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

    /// -? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?
    private mutating func skipNumber() throws(JSONError) {
        if here == UInt8(ascii: "-") { offset += 1 }
        if here == UInt8(ascii: "0") {
            offset += 1
            if let next = here, Self.isDigit(next) { throw error(.invalidNumber) }
        } else {
            try skipDigits()
        }
        if here == UInt8(ascii: ".") {
            offset += 1
            try skipDigits()
        }
        if here == UInt8(ascii: "e") || here == UInt8(ascii: "E") {
            offset += 1
            if here == UInt8(ascii: "+") || here == UInt8(ascii: "-") { offset += 1 }
            try skipDigits()
        }
    }

    private mutating func skipDigits() throws(JSONError) {
        guard let first = here else { throw error(.unexpectedEnd) }
        guard Self.isDigit(first) else { throw error(.invalidNumber) }
        while let byte = here, Self.isDigit(byte) { offset += 1 }
    }

    @inline(__always)
    private var here: UInt8? { offset < byteCount ? bytes[unchecked: offset] : nil }
}
