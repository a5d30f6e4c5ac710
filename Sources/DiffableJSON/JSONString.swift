#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A string: the bytes between its quotes, as a slice of a checked text.
package struct JSONString {
    package let bytes: UnsafeRawBufferPointer
    /// The offset of the first byte in the text.
    package let offset: Int
    package let hasEscapes: Bool

    /// Compares a string with escapes. Names hardly ever have one, so this is kept out of the common path.
    @inline(never)
    package func equals(_ literal: StaticString) -> Bool {
        // An escaped byte takes at most six, as in `\u0061`, so a longer string cannot be equal.
        bytes.count <= 6 * literal.utf8CodeUnitCount && unescaped().elementsEqual(literal.utf8)
    }

    /// Whether the string is this ASCII literal. Member names are compared with it.
    @inline(__always)
    package static func ~= (literal: StaticString, string: JSONString) -> Bool {
        if string.hasEscapes { return string.equals(literal) }
        let count = literal.utf8CodeUnitCount
        // The compiler knows the literal, and compares a word or two.
        return string.bytes.count == count
            && memcmp(string.bytes.baseAddress.unsafelyUnwrapped, literal.utf8Start, count) == 0
    }

    /// Lends the UTF-8 of the string. The bytes are copied only if there are escapes.
    @inlinable
    package func withUTF8<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        if !hasEscapes { return try body(bytes) }
        return try withUnescaped(body)
    }

    @usableFromInline
    func withUnescaped<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try unescaped().withUnsafeBufferPointer { bytes throws(E) in try body(UnsafeRawBufferPointer(bytes)) }
    }

    package var text: String { withUTF8 { String(decoding: $0, as: UTF8.self) } }

    /// The UTF-8 of the string with its escapes resolved. The scanner has checked the escapes.
    package func unescaped() -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            guard byte == UInt8(ascii: "\\") else {
                result.append(byte)
                index += 1
                continue
            }
            let escape = bytes[index + 1]
            guard escape == UInt8(ascii: "u") else {
                result.append(Self.meaning(of: escape))
                index += 2
                continue
            }
            var scalar = codeUnit(at: index + 2)
            index += 6
            if scalar & 0xFC00 == 0xD800 {
                scalar = 0x10000 + (scalar & 0x3FF) << 10 + codeUnit(at: index + 2) & 0x3FF
                index += 6
            }
            guard let scalar = Unicode.Scalar(scalar) else {
                preconditionFailure("the scanner lets no lone surrogate through")
            }
            result.append(contentsOf: UTF8.encode(scalar)!)
        }
        return result
    }

    private static func meaning(of escape: UInt8) -> UInt8 {
        switch escape {
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: escape
        }
    }

    private func codeUnit(at index: Int) -> UInt32 {
        bytes[index..<index + 4].reduce(0) { $0 << 4 | UInt32(Self.hexadecimalValue($1) ?? 0) }
    }

    static func hexadecimalValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

extension StaticString {
    fileprivate var utf8: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount)
    }
}
