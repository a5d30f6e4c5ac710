/// Skips text that is known to be JSON.
extension SchemaCheck {
    /// The byte, or zero after the end, which is not in any JSON.
    @inline(__always)
    func byte(at offset: Int) -> UInt8 { offset < count ? text[unchecked: offset] : 0 }

    func malformed() -> Never { preconditionFailure("content was checked when it was read, but is no JSON") }

    struct StringPlace {
        var close: Int
        var hasEscapes: Bool
    }

    /// The string whose quote is at `offset`, read eight bytes at a time.
    @inline(__always)
    func string(at start: Int) -> StringPlace {
        var offset = start &+ 1
        while offset <= count &- 8 {
            let special = Self.quotesAndBackslashes(in: word(at: offset))
            if special != 0 {
                offset &+= special.trailingZeroBitCount &>> 3
                if text[unchecked: offset] == UInt8(ascii: "\"") {
                    return StringPlace(close: offset, hasEscapes: false)
                }
                break
            }
            offset &+= 8
        }
        return stringAfterPlainBytes(from: offset)
    }

    /// Reads the rest of a string with an escape, or near the end of the text.
    @inline(never)
    private func stringAfterPlainBytes(from start: Int) -> StringPlace {
        var offset = start
        var hasEscapes = false
        while offset < count {
            let byte = text[unchecked: offset]
            if byte == UInt8(ascii: "\"") { return StringPlace(close: offset, hasEscapes: hasEscapes) }
            if byte == UInt8(ascii: "\\") { hasEscapes = true }
            // The escaped byte is skipped with its backslash.
            offset &+= byte == UInt8(ascii: "\\") ? 2 : 1
        }
        malformed()
    }

    @inline(__always)
    func word(at offset: Int) -> UInt64 {
        UInt64(littleEndian: text.baseAddress.unsafelyUnwrapped.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// The high bit of each quote and backslash. A borrow may mark bytes above the first one wrongly; the first is always right.
    @inline(__always)
    private static func quotesAndBackslashes(in word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quote = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
        let backslash = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
        return ((quote &- ones) & ~quote | (backslash &- ones) & ~backslash) & 0x8080_8080_8080_8080
    }

    @inline(__always)
    func endOfAnything(at offset: Int) -> Int {
        switch byte(at: offset) {
        case UInt8(ascii: "\""): return string(at: offset).close &+ 1
        case UInt8(ascii: "{"), UInt8(ascii: "["): return endOfContainer(at: offset)
        case UInt8(ascii: "t"), UInt8(ascii: "n"): return offset &+ 4
        case UInt8(ascii: "f"): return offset &+ 5
        default: return endOfNumberText(at: offset)
        }
    }

    /// The end of an array or object, without recursion.
    func endOfContainer(at start: Int) -> Int {
        var offset = start
        var depth = 0
        repeat {
            switch byte(at: offset) {
            case UInt8(ascii: "\""): offset = string(at: offset).close
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth &+= 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth &-= 1
            case 0: malformed()
            default: break
            }
            offset &+= 1
        } while depth > 0
        return offset
    }

    func endOfNumberText(at start: Int) -> Int {
        var offset = start
        while true {
            switch byte(at: offset) {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."),
                UInt8(ascii: "e"), UInt8(ascii: "E"):
                offset &+= 1
            default:
                guard offset > start else { malformed() }
                return offset
            }
        }
    }
}
