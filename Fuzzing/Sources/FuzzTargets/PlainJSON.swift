/// RFC 8259 in its simplest form: slow, obvious, and independent of the scanner that it checks.
struct PlainJSON {
    private var rest: ArraySlice<UInt8>
    private let depthMax: Int

    static func accepts(_ bytes: UnsafeRawBufferPointer, depthMax: Int) -> Bool {
        guard String(validating: bytes, as: UTF8.self) != nil else { return false }
        var json = PlainJSON(rest: ArraySlice(bytes), depthMax: depthMax)
        json.skipSpace()
        guard json.value(depth: 0) else { return false }
        json.skipSpace()
        return json.rest.isEmpty
    }

    private mutating func skipSpace() { rest = rest.drop { " \t\r\n".utf8.contains($0) } }

    private mutating func take(_ text: String) -> Bool {
        guard rest.starts(with: text.utf8) else { return false }
        rest = rest.dropFirst(text.utf8.count)
        return true
    }

    private mutating func value(depth: Int) -> Bool {
        if rest.first == UInt8(ascii: "\"") { return string() }
        if take("{") { return depth < depthMax && members("}", depth: depth, isObject: true) }
        if take("[") { return depth < depthMax && members("]", depth: depth, isObject: false) }
        return take("true") || take("false") || take("null") || number()
    }

    private mutating func members(_ close: String, depth: Int, isObject: Bool) -> Bool {
        skipSpace()
        if take(close) { return true }
        repeat {
            skipSpace()
            if isObject {
                guard string() else { return false }
                skipSpace()
                guard take(":") else { return false }
                skipSpace()
            }
            guard value(depth: depth + 1) else { return false }
            skipSpace()
        } while take(",")
        return take(close)
    }

    private mutating func digits() -> Int {
        let count = rest.prefix { (0x30...0x39).contains($0) }.count
        rest = rest.dropFirst(count)
        return count
    }

    private mutating func number() -> Bool {
        _ = take("-")
        if !take("0") {
            guard digits() > 0 else { return false }
        }
        if take(".") {
            guard digits() > 0 else { return false }
        }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            return digits() > 0
        }
        return true
    }

    private mutating func string() -> Bool {
        guard take("\"") else { return false }
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") { return true }
            if byte < 0x20 { return false }
            guard byte == UInt8(ascii: "\\") else { continue }
            if take("u") {
                guard let unit = unit(), !(0xDC00..<0xE000).contains(unit) else { return false }
                if unit >= 0xD800, unit < 0xE000 {
                    guard take("\\u"), let low = self.unit(), (0xDC00..<0xE000).contains(low) else { return false }
                }
            } else {
                guard let escape = rest.popFirst(), "\"\\/bfnrt".utf8.contains(escape) else { return false }
            }
        }
        return false
    }

    private mutating func unit() -> Int? {
        let digits = rest.prefix(4)
        rest = rest.dropFirst(4)
        let isHexadecimal = digits.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
        return digits.count == 4 && isHexadecimal ? Int(text(digits), radix: 16) : nil
    }
}
