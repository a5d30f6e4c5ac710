/// Passing over JSON that is known to be JSON.
extension SchemaCheck {
    /// Zero behind the end, which no JSON has.
    @inline(__always)
    func byte(at offset: Int) -> UInt8 { offset < count ? text[unchecked: offset] : 0 }

    func malformed() -> Never { preconditionFailure("content was checked when it was read, but is no JSON") }

    struct StringPlace {
        /// Of the quote at its end.
        var close: Int
        var hasEscapes: Bool
    }

    /// The string whose quote is at `offset`: eight bytes at a time.
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
        return stringBehindPlainBytes(from: offset)
    }

    /// The same for one with an escape, or near the end of the text.
    @inline(never)
    private func stringBehindPlainBytes(from start: Int) -> StringPlace {
        var offset = start
        var hasEscapes = false
        while offset < count {
            let byte = text[unchecked: offset]
            if byte == UInt8(ascii: "\"") { return StringPlace(close: offset, hasEscapes: hasEscapes) }
            if byte == UInt8(ascii: "\\") { hasEscapes = true }
            // Whatever an escape escapes is passed over with it.
            offset &+= byte == UInt8(ascii: "\\") ? 2 : 1
        }
        malformed()
    }

    @inline(__always)
    func word(at offset: Int) -> UInt64 {
        UInt64(littleEndian: text.baseAddress.unsafelyUnwrapped.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// The high bit of each of them; bytes above the first may be marked wrongly, by a borrow, the first never is.
    @inline(__always)
    private static func quotesAndBackslashes(in word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quote = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
        let backslash = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
        return ((quote &- ones) & ~quote | (backslash &- ones) & ~backslash) & 0x8080_8080_8080_8080
    }

    /// Where any value ends.
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

    /// Where an array or object ends, without recursion.
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
