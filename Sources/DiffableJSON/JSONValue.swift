/// A value of any type: a slice of a checked text.
package struct JSONValue {
    package let bytes: UnsafeRawBufferPointer
    /// The offset of the first byte in the text.
    package let offset: Int
    /// Whether it has no insignificant white space.
    let isCompact: Bool

    package var isNull: Bool { bytes.first == UInt8(ascii: "n") }
    package var isObject: Bool { bytes.first == UInt8(ascii: "{") }

    /// For messages: the value itself if its type makes it short, otherwise the name of its type.
    var sort: String {
        switch bytes.first {
        case UInt8(ascii: "{"): "an object"
        case UInt8(ascii: "["): "an array"
        default: String(decoding: bytes, as: UTF8.self).shown
        }
    }

    /// Lends the value without insignificant white space. The bytes are copied only if there is any.
    @inline(__always)
    package func withCompactBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        if isCompact { return try body(bytes) }
        return try withCompacted(body)
    }

    @inline(never)
    private func withCompacted<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try compacted().withUnsafeBufferPointer { bytes throws(E) in try body(UnsafeRawBufferPointer(bytes)) }
    }

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
