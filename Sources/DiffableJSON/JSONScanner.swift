/// A strict cursor over one JSON text: RFC 8259, in one pass, without allocating.
///
/// It builds no tree. The caller asks for the next value of a type and gets a slice of the text; uninterpreted values are
/// checked and skipped. A scanner is a value, so a copy of it looks ahead. Strings must be UTF-8 without lone surrogates,
/// nesting is limited, and errors have the offset of the byte.
///
///     var object = try scanner.beginObject()
///     while let name = try scanner.nextMember(of: &object) { ... }
///
/// The bytes must outlive the scanner and all its slices, so a scanner never leaves the closure that lent the bytes. The
/// pointers are unsafe so that a slice is copied only once: straight into a `Record`.
package struct JSONScanner {
    package let bytes: UnsafeRawBufferPointer
    /// The count of `bytes`, which would compute it for each byte.
    let byteCount: Int
    /// The offset of the next byte.
    package internal(set) var offset: Int
    let depthMax: Int
    var depth: Int
    /// The number of skipped bytes of insignificant white space. A value without any can be copied as it is.
    var whitespaceCount = 0

    package init(_ bytes: UnsafeRawBufferPointer, depthMax: Int) {
        self.bytes = bytes
        self.byteCount = bytes.count
        self.offset = 0
        self.depthMax = depthMax
        self.depth = 0
    }

    // MARK: - Bytes

    @inline(__always)
    package mutating func peek() -> UInt8? {
        // The usual case: programs write no white space.
        if offset < byteCount, bytes[unchecked: offset] > 0x20 { return bytes[unchecked: offset] }
        return peekAfterWhitespace()
    }

    @inline(never)
    private mutating func peekAfterWhitespace() -> UInt8? {
        while offset < byteCount, Self.isWhitespace(bytes[unchecked: offset]) {
            offset += 1
            whitespaceCount += 1
        }
        return offset < byteCount ? bytes[unchecked: offset] : nil
    }

    @inline(__always)
    static func isWhitespace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    package func error(_ reason: JSONError.Reason) -> JSONError { JSONError(offset: offset, reason: reason) }

    package func unexpected(_ expected: JSONError.Expected) -> JSONError {
        guard offset < byteCount else { return error(.unexpectedEnd) }
        if offset == 0, Self.beginsWithByteOrderMark(bytes) { return error(.byteOrderMark) }
        return error(.unexpectedByte(bytes[offset], expected: expected))
    }

    package static func beginsWithByteOrderMark(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.count >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF
    }

    package mutating func end() throws(JSONError) {
        if peek() != nil { throw error(.trailingBytes) }
    }

    // MARK: - Objects and arrays

    /// An open object or array: whether a comma is required.
    package struct Container {
        var isFirst = true
    }

    @inline(__always)
    package mutating func beginObject() throws(JSONError) -> Container {
        try begin(UInt8(ascii: "{"), .object)
    }

    @inline(__always)
    package mutating func beginArray() throws(JSONError) -> Container {
        try begin(UInt8(ascii: "["), .array)
    }

    @inline(__always)
    private mutating func begin(_ bracket: UInt8, _ expected: JSONError.Expected) throws(JSONError) -> Container {
        guard peek() == bracket else { throw unexpected(expected) }
        guard depth < depthMax else { throw error(.tooDeep(max: depthMax)) }
        depth += 1
        offset += 1
        return Container()
    }

    /// The next member's name; its value must be read next. Nil at the end of the object.
    @inline(__always)
    package mutating func nextMember(of object: inout Container) throws(JSONError) -> JSONString? {
        guard try next(of: &object, closing: UInt8(ascii: "}"), .commaOrBrace) else { return nil }
        guard peek() == UInt8(ascii: "\"") else { throw unexpected(.memberName) }
        let name = try stringAtQuote()
        guard peek() == UInt8(ascii: ":") else { throw unexpected(.colon) }
        offset += 1
        return name
    }

    /// Whether there is another element. The caller must read it next.
    @inline(__always)
    package mutating func nextElement(of array: inout Container) throws(JSONError) -> Bool {
        guard try next(of: &array, closing: UInt8(ascii: "]"), .commaOrBracket) else { return false }
        // `[1,]` has no value after its comma.
        if peek() == UInt8(ascii: "]") { throw unexpected(.value) }
        return true
    }

    @inline(__always)
    private mutating func next(
        of container: inout Container, closing: UInt8, _ expected: JSONError.Expected
    ) throws(JSONError) -> Bool {
        guard let byte = peek() else { throw unexpected(expected) }
        if byte == closing {
            offset += 1
            depth -= 1
            return false
        }
        if container.isFirst {
            container.isFirst = false
        } else {
            guard byte == UInt8(ascii: ",") else { throw unexpected(expected) }
            offset += 1
        }
        return true
    }
}

extension UnsafeRawBufferPointer {
    /// Unchecked in release: the scanner compares every offset with the count before it reads.
    @inline(__always)
    subscript(unchecked offset: Int) -> UInt8 {
        assert(offset >= 0 && offset < count)
        return baseAddress.unsafelyUnwrapped.load(fromByteOffset: offset, as: UInt8.self)
    }

    @inline(__always)
    func slice(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        assert(range.lowerBound >= 0 && range.upperBound <= count)
        return UnsafeRawBufferPointer(start: baseAddress.unsafelyUnwrapped + range.lowerBound, count: range.count)
    }
}
