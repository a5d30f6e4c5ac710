import Diffable
import DiffableJSON

/// Reads parts of a checked JSON value: members by name, elements, text. Nothing is decoded in advance, and each access is one
/// pass over the value.
package struct JSONReader {
    private let bytes: ArraySlice<UInt8>

    /// More than the limit of any input, so that a checked value never exceeds it.
    package static let depthMax = 256

    /// `bytes` is checked JSON. Views of inner values keep their positions in it.
    package init(checked bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    package init(_ content: Content) { self.init(checked: content.bytes[...]) }

    package var source: ArraySlice<UInt8> { bytes }

    package var isNull: Bool { bytes.first == UInt8(ascii: "n") }
    package var isString: Bool { bytes.first == UInt8(ascii: "\"") }
    package var isArray: Bool { bytes.first == UInt8(ascii: "[") }
    package var isObject: Bool { bytes.first == UInt8(ascii: "{") }
    package var isNumber: Bool {
        bytes.first.map { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || $0 == UInt8(ascii: "-") } ?? false
    }

    package var content: Content { Content(Array(bytes)) }

    package var typeDescription: String {
        switch bytes.first {
        case UInt8(ascii: "{"): "an object"
        case UInt8(ascii: "["): "an array"
        case UInt8(ascii: "\""): "a string"
        case UInt8(ascii: "n"): "null"
        case UInt8(ascii: "t"), UInt8(ascii: "f"): "true or false"
        default: "a number"
        }
    }

    package var json: String { String(decoding: bytes, as: UTF8.self) }

    /// The text of a string, or a number or a boolean as it is written; nil for any other value.
    package var text: [UInt8]? {
        if isObject || isNull || bytes.first == UInt8(ascii: "[") { return nil }
        guard isString else { return Array(bytes) }
        return scan { (scanner) throws(JSONError) in try scanner.string().withUTF8 { Array($0) } }
    }

    /// The members in order; empty if it is not an object. If several have the same name, only the last one counts.
    package var members: [(name: String, value: JSONReader)] {
        let members = allMembers
        // Names that are equal as strings may differ in their bytes, but equal bytes are always equal strings.
        guard Set(members.lazy.map(\.name)).count < members.count else { return members }
        var names: Set<[UInt8]> = []
        return members.reversed().filter { names.insert(Array($0.name.utf8)).inserted }.reversed()
    }

    private var allMembers: [(name: String, value: JSONReader)] {
        guard isObject else { return [] }
        let base = bytes.startIndex
        return scan { (scanner) throws(JSONError) in
            var members: [(name: String, value: JSONReader)] = []
            var object = try scanner.beginObject()
            while let name = try scanner.nextMember(of: &object) {
                let text = name.text
                let value = try scanner.value()
                members.append(
                    (text, JSONReader(checked: bytes[base + value.offset..<base + value.offset + value.bytes.count])))
            }
            return members
        } ?? []
    }

    package var elements: [JSONReader] {
        guard bytes.first == UInt8(ascii: "[") else { return [] }
        let base = bytes.startIndex
        return scan { (scanner) throws(JSONError) in
            var elements: [JSONReader] = []
            var array = try scanner.beginArray()
            while try scanner.nextElement(of: &array) {
                let value = try scanner.value()
                elements.append(
                    JSONReader(checked: bytes[base + value.offset..<base + value.offset + value.bytes.count]))
            }
            return elements
        } ?? []
    }

    package var memberNames: [String] { members.map(\.name) }

    package func member(_ name: String) -> JSONReader? {
        guard isObject else { return nil }
        let base = bytes.startIndex
        return scan { (scanner) throws(JSONError) -> JSONReader? in
            var object = try scanner.beginObject()
            var found: JSONReader?
            while let candidate = try scanner.nextMember(of: &object) {
                let isMeant = candidate.withUTF8 { $0.elementsEqual(name.utf8) }
                let value = try scanner.value()
                if isMeant {
                    found = JSONReader(checked: bytes[base + value.offset..<base + value.offset + value.bytes.count])
                }
            }
            return found
        } ?? nil
    }

    /// The value of a row's field: the column whose name is the whole text of the path, or else the value at the path.
    package func value(ofRow path: FieldPath) -> JSONReader? {
        (path.names.isEmpty ? nil : member(path.name)) ?? value(at: path)
    }

    package func value(at path: FieldPath) -> JSONReader? {
        var value = self
        for name in path.names {
            guard let inner = value.member(name) ?? value.element(name) else { return nil }
            value = inner
        }
        return value
    }

    /// The element with an index that is given in digits without leading zeros.
    private func element(_ name: String) -> JSONReader? {
        guard bytes.first == UInt8(ascii: "["), let index = Int(name), "\(index)" == name else { return nil }
        let elements = elements
        return elements.indices.contains(index) ? elements[index] : nil
    }

    /// Returns nil only for an unchecked value.
    private func scan<R>(_ body: (inout JSONScanner) throws(JSONError) -> R) -> R? {
        bytes.withUnsafeBytes { bytes in
            var scanner = JSONScanner(bytes, depthMax: JSONReader.depthMax)
            do throws(JSONError) { return try body(&scanner) } catch { return nil }
        }
    }
}

extension JSONReader {
    package var plainText: String {
        guard isString, let text else { return json }
        return String(decoding: text, as: UTF8.self)
    }
}
