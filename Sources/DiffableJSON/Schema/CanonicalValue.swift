/// Equality in JSON Schema: two values are equal if their canonical bytes are. Numbers are compared by value, strings by
/// scalars, objects without regard to the order of their members.
enum CanonicalValue {
    /// Nil for a value that contains an object with a duplicate member: JSON does not define its meaning, so it equals nothing. A
    /// string alone is a quote and its UTF-8, without escapes and without the closing quote; an integer of up to 18 digits is its
    /// digits. So nearly all strings and numbers have their canonical bytes in the text.
    static func bytes(of value: CompactValue) -> [UInt8]? {
        if let string = value.string { return [UInt8(ascii: "\"")] + string.withUTF8 { Array($0) } }
        var scanner = JSONScanner(value.bytes, depthMax: .max)
        var bytes: [UInt8] = []
        return append(&scanner, to: &bytes) ? bytes : nil
    }

    /// Appends the scanner's next value; false for one with a duplicate member. O(length · depth · log(members))
    private static func append(_ scanner: inout JSONScanner, to bytes: inout [UInt8]) -> Bool {
        switch scanner.peek() {
        case UInt8(ascii: "{"): return appendObject(&scanner, to: &bytes)
        case UInt8(ascii: "["): return appendArray(&scanner, to: &bytes)
        case UInt8(ascii: "\""):
            let string = checked(&scanner) { scanner throws(JSONError) in try scanner.string() }
            string.withUTF8 { append(text: $0, to: &bytes) }
        case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"):
            let value = checked(&scanner) { scanner throws(JSONError) in try scanner.value() }
            bytes += value.bytes
        default:
            let value = checked(&scanner) { scanner throws(JSONError) in try scanner.value() }
            DecimalNumber(value.bytes).appendCanonical(to: &bytes)
        }
        return true
    }

    /// The length before the text shows where the text ends.
    private static func append(text: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: "\"\(text.count):".utf8)
        bytes.append(contentsOf: text)
    }

    private static func appendArray(_ scanner: inout JSONScanner, to bytes: inout [UInt8]) -> Bool {
        var array = checked(&scanner) { scanner throws(JSONError) in try scanner.beginArray() }
        bytes.append(UInt8(ascii: "["))
        while checked(&scanner, { scanner throws(JSONError) in try scanner.nextElement(of: &array) }) {
            guard append(&scanner, to: &bytes) else { return false }
            bytes.append(UInt8(ascii: ","))
        }
        bytes.append(UInt8(ascii: "]"))
        return true
    }

    private static func appendObject(_ scanner: inout JSONScanner, to bytes: inout [UInt8]) -> Bool {
        var members: [(name: [UInt8], value: [UInt8])] = []
        var object = checked(&scanner) { scanner throws(JSONError) in try scanner.beginObject() }
        while let name = checked(&scanner, { scanner throws(JSONError) in try scanner.nextMember(of: &object) }) {
            var value: [UInt8] = []
            guard append(&scanner, to: &value) else { return false }
            members.append((name.withUTF8 { Array($0) }, value))
        }
        members.sort { $0.name.lexicographicallyPrecedes($1.name) }
        bytes.append(UInt8(ascii: "{"))
        for (index, member) in members.enumerated() {
            if index > 0, members[index - 1].name == member.name { return false }
            member.name.withUnsafeBytes { append(text: $0, to: &bytes) }
            bytes += member.value
            bytes.append(UInt8(ascii: ","))
        }
        bytes.append(UInt8(ascii: "}"))
        return true
    }
}
