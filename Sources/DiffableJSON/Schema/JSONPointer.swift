/// The path from a text's beginning to a value in it (RFC 6901).
struct JSONPointer {
    let text: String
    let name: String
    let value: JSONValue

    /// `offset` is the start of a value or a member's name in compact JSON. O(length · depth)
    init(to offset: Int, in json: UnsafeRawBufferPointer) {
        var text = "", name = ""
        var scanner = JSONScanner(json, depthMax: .max)
        while scanner.offset < offset {
            if scanner.peek() == UInt8(ascii: "[") {
                name = ""
                text += "/\(Self.enterElement(&scanner, offset))"
            } else {
                name = Self.enterMember(&scanner, offset)
                text += "/\(Self.escaped(name))"
            }
        }
        value = checked(&scanner) { scanner throws(JSONError) in try scanner.value() }
        self.text = text
        self.name = name
    }

    private static func enterElement(_ scanner: inout JSONScanner, _ offset: Int) -> Int {
        var index = 0
        var array = checked(&scanner) { scanner throws(JSONError) in try scanner.beginArray() }
        while checked(&scanner, { scanner throws(JSONError) in try scanner.nextElement(of: &array) }) {
            let element = scanner
            checked(&scanner) { scanner throws(JSONError) in try scanner.skipValue() }
            if offset < scanner.offset {
                scanner = element
                return index
            }
            index += 1
        }
        preconditionFailure("there is no value at byte \(offset)")
    }

    private static func enterMember(_ scanner: inout JSONScanner, _ offset: Int) -> String {
        var object = checked(&scanner) { scanner throws(JSONError) in try scanner.beginObject() }
        while let name = checked(&scanner, { scanner throws(JSONError) in try scanner.nextMember(of: &object) }) {
            let value = scanner
            checked(&scanner) { scanner throws(JSONError) in try scanner.skipValue() }
            if offset < scanner.offset {
                scanner = value
                return name.text
            }
        }
        preconditionFailure("there is no member at byte \(offset)")
    }

    private static func escaped(_ name: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in name.unicodeScalars {
            switch scalar {
            case "~": result.append(contentsOf: "~0".unicodeScalars)
            case "/": result.append(contentsOf: "~1".unicodeScalars)
            default: result.append(scalar)
            }
        }
        return String(result)
    }
}
