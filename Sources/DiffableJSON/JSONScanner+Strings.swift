extension JSONScanner {
    /// Reads a string and checks its escapes and its UTF-8.
    package mutating func string() throws(JSONError) -> JSONString {
        guard peek() == UInt8(ascii: "\"") else { throw unexpected(.string) }
        return try stringAtQuote()
    }

    /// Reads the string whose quote is the next byte. It reads eight bytes at a time while they are plain ASCII, which most of
    /// a line is.
    mutating func stringAtQuote() throws(JSONError) -> JSONString {
        let start = offset + 1
        var end = start
        while end <= byteCount &- 8 {
            let special = Self.specialBytes(in: word(at: end))
            if special != 0 {
                end &+= special.trailingZeroBitCount &>> 3
                break
            }
            end &+= 8
        }
        guard end < byteCount, bytes[unchecked: end] == UInt8(ascii: "\"") else {
            return try stringAfterPlainBytes(from: start, to: end)
        }
        offset = end + 1
        return JSONString(bytes: bytes.slice(start..<end), offset: start, hasEscapes: false)
    }

    /// Reads the rest of a string that is not plain ASCII, or that ends near the end of the text.
    @inline(never)
    private mutating func stringAfterPlainBytes(from start: Int, to end: Int) throws(JSONError) -> JSONString {
        offset = end
        var hasEscapes = false
        while true {
            while offset + 8 <= byteCount {
                let special = Self.specialBytes(in: word(at: offset))
                offset += special == 0 ? 8 : special.trailingZeroBitCount >> 3
                if special != 0 { break }
            }
            guard offset < byteCount else { throw error(.unexpectedEnd) }
            let byte = bytes[unchecked: offset]
            switch byte {
            case UInt8(ascii: "\""):
                let content = bytes.slice(start..<offset)
                offset += 1
                return JSONString(bytes: content, offset: start, hasEscapes: hasEscapes)
            case UInt8(ascii: "\\"):
                hasEscapes = true
                try skipEscape()
            case 0..<0x20: throw error(.controlCharacter(byte))
            case 0x20..<0x80: offset += 1
            default: try skipScalar(byte)
            }
        }
    }

    @inline(__always)
    private func word(at offset: Int) -> UInt64 {
        UInt64(littleEndian: bytes.baseAddress.unsafelyUnwrapped.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// The high bit of each special byte: a quote, a backslash, a control character or a byte that is not ASCII. A borrow may
    /// mark bytes above the first special one wrongly; the first is always right.
    @inline(__always)
    private static func specialBytes(in word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let high: UInt64 = 0x8080_8080_8080_8080
        let quote = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
        let backslash = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
        let isQuote = (quote &- ones) & ~quote
        let isBackslash = (backslash &- ones) & ~backslash
        let isControl = (word &- ones &* 0x20) & ~word
        return (isQuote | isBackslash | isControl | word) & high
    }

    private mutating func skipEscape() throws(JSONError) {
        let start = offset
        guard offset + 1 < byteCount else { throw JSONError(offset: byteCount, reason: .unexpectedEnd) }
        switch bytes[unchecked: offset + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            offset += 2
        case UInt8(ascii: "u"):
            let unit = try codeUnit(at: offset)
            offset += 6
            if unit & 0xFC00 == 0xDC00 { throw JSONError(offset: start, reason: .loneSurrogate) }
            guard unit & 0xFC00 == 0xD800 else { return }
            guard offset + 1 < byteCount, bytes[offset] == UInt8(ascii: "\\"), bytes[offset + 1] == UInt8(ascii: "u"),
                try codeUnit(at: offset) & 0xFC00 == 0xDC00
            else { throw JSONError(offset: start, reason: .loneSurrogate) }
            offset += 6
        default: throw error(.invalidEscape)
        }
    }

    private func codeUnit(at start: Int) throws(JSONError) -> UInt16 {
        var unit: UInt16 = 0
        for index in start + 2..<start + 6 {
            guard index < byteCount else { throw JSONError(offset: byteCount, reason: .unexpectedEnd) }
            guard let digit = JSONString.hexadecimalValue(bytes[unchecked: index]) else {
                throw JSONError(offset: start, reason: .invalidEscape)
            }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }

    /// Skips one scalar of two to four bytes, after table 3-7 of the Unicode standard: no overlong forms, no surrogates,
    /// nothing above U+10FFFF.
    private mutating func skipScalar(_ lead: UInt8) throws(JSONError) {
        let count: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch lead {
        case 0xC2...0xDF: count = 2
        case 0xE0: (count, second) = (3, 0xA0...0xBF)
        case 0xED: (count, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: count = 3
        case 0xF0: (count, second) = (4, 0x90...0xBF)
        case 0xF4: (count, second) = (4, 0x80...0x8F)
        case 0xF1...0xF3: count = 4
        default: throw error(.invalidUTF8)
        }
        guard offset + count <= bytes.count, second.contains(bytes[unchecked: offset + 1]) else {
            throw error(.invalidUTF8)
        }
        for index in offset + 2..<max(offset + 2, offset + count) where bytes[unchecked: index] & 0xC0 != 0x80 {
            throw error(.invalidUTF8)
        }
        offset += count
    }
}
