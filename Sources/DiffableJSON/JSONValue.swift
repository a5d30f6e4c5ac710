/// Any value as it stands in a checked text.
package struct JSONValue {
    package let bytes: UnsafeRawBufferPointer
    /// Of the first byte, in the text.
    package let offset: Int
    /// Whether there is no insignificant white space in it.
    let isCompact: Bool

    package var isNull: Bool { bytes.first == UInt8(ascii: "n") }
    package var isObject: Bool { bytes.first == UInt8(ascii: "{") }

    /// Lends the value without insignificant white space; the bytes are the text's own unless there is some.
    @inline(__always)
    package func withCompactBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        if isCompact { return try body(bytes) }
        return try withCompacted(body)
    }

    @inline(never)
    private func withCompacted<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try compacted().withUnsafeBufferPointer { bytes throws(E) in try body(UnsafeRawBufferPointer(bytes)) }
    }

    /// Everything but the white space outside strings, byte for byte.
    package func compacted() -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var isInString = false
        var isEscaped = false
        for byte in bytes {
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
            } else if byte == UInt8(ascii: "\"") {
                isInString = true
            } else if JSONScanner.isWhitespace(byte) {
                continue
            }
            result.append(byte)
        }
        return result
    }
}
