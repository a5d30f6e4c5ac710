/// A value that was already checked and compacted, with access to its parts.
struct CompactValue {
    let bytes: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isObject: Bool { bytes.first == UInt8(ascii: "{") }
    var isNull: Bool { bytes.first == UInt8(ascii: "n") }
    var isArray: Bool { bytes.first == UInt8(ascii: "[") }

    var boolean: Bool? {
        switch bytes.first {
        case UInt8(ascii: "t"): true
        case UInt8(ascii: "f"): false
        default: nil
        }
    }

    /// The nearest `Double`; nil if it is not a number.
    var number: Double? {
        guard let first = bytes.first, first == UInt8(ascii: "-") || JSONScanner.isDigit(first) else { return nil }
        return Double(String(decoding: bytes, as: UTF8.self))
    }

    var string: JSONString? {
        guard bytes.first == UInt8(ascii: "\"") else { return nil }
        var scanner = JSONScanner(bytes, depthMax: .max)
        return checked(&scanner) { scanner throws(JSONError) in try scanner.string() }
    }

    var elements: [CompactValue] {
        guard isArray else { return [] }
        var scanner = JSONScanner(bytes, depthMax: .max)
        var elements: [CompactValue] = []
        var array = checked(&scanner) { scanner throws(JSONError) in try scanner.beginArray() }
        while checked(&scanner, { scanner throws(JSONError) in try scanner.nextElement(of: &array) }) {
            let value = checked(&scanner) { scanner throws(JSONError) in try scanner.value() }
            elements.append(CompactValue(value.bytes))
        }
        return elements
    }

    struct Member {
        var name: MemberText
        var value: CompactValue
        var range: Range<Int>
    }

    /// The members in order; empty if it is not an object. If several have the same name, only the last one counts.
    var members: [Member] {
        var members: [Member] = []
        var cursor = memberCursor()
        while let member = cursor.next() { members.append(member) }
        guard NameIndex(of: members.map(\.name)).twice != nil else { return members }
        var names: Set<[UInt8]> = []
        return members.reversed().filter { names.insert($0.name.string.withUTF8 { Array($0) }).inserted }.reversed()
    }

    func memberCursor() -> MemberCursor { MemberCursor(self) }

    struct MemberCursor {
        private var scanner: JSONScanner
        private var object: JSONScanner.Container?

        init(_ value: CompactValue) {
            // The depth was checked when the text was read.
            scanner = JSONScanner(value.bytes, depthMax: .max)
            if value.isObject { object = checked(&scanner) { scanner throws(JSONError) in try scanner.beginObject() } }
        }

        mutating func next() -> Member? {
            guard var object else { return nil }
            let name = checked(&scanner) { scanner throws(JSONError) in try scanner.nextMember(of: &object) }
            guard let name else {
                self.object = nil
                return nil
            }
            self.object = object
            let value = checked(&scanner) { scanner throws(JSONError) in try scanner.value() }
            return Member(
                name: MemberText(string: name), value: CompactValue(value.bytes),
                range: name.offset - 1..<value.offset + value.bytes.count)
        }
    }
}

/// Runs a step of a scanner over a value that was already checked, so that it cannot fail.
func checked<R>(
    _ scanner: inout JSONScanner, _ step: (inout JSONScanner) throws(JSONError) -> R
) -> R {
    do throws(JSONError) {
        return try step(&scanner)
    } catch {
        preconditionFailure("content was checked when it was read, but: \(error)")
    }
}

/// The name of a member, as a slice of the text. Names are equal if their characters are; only names with escapes are copied.
struct MemberText: Equatable {
    let string: JSONString

    static func == (a: MemberText, b: MemberText) -> Bool {
        a.string.withUTF8 { a in b.string.withUTF8 { b in a.count == b.count && a.elementsEqual(b) } }
    }
}
