import Diffable
import DiffableJSON

/// A JSON value that has been checked, looked into: its members by name, its text.
///
/// Nothing is decoded ahead; each look is one pass over the value.
struct JSONView {
    private let bytes: ArraySlice<UInt8>

    /// Deeper than any line may be, so that what was checked can be walked.
    static let depthMax = 256

    private init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    init(_ content: Content) { self.init(content.bytes[...]) }

    var isNull: Bool { bytes.first == UInt8(ascii: "n") }
    var isString: Bool { bytes.first == UInt8(ascii: "\"") }
    var isObject: Bool { bytes.first == UInt8(ascii: "{") }

    /// What sort of value it is, for messages.
    var sort: String {
        switch bytes.first {
        case UInt8(ascii: "{"): "an object"
        case UInt8(ascii: "["): "an array"
        case UInt8(ascii: "\""): "a string"
        case UInt8(ascii: "n"): "null"
        case UInt8(ascii: "t"), UInt8(ascii: "f"): "true or false"
        default: "a number"
        }
    }

    /// The JSON itself.
    var json: String { String(decoding: bytes, as: UTF8.self) }

    /// What a string means, or a number or a truth value as it is written; `nil` for anything else.
    var text: [UInt8]? {
        if isObject || isNull || bytes.first == UInt8(ascii: "[") { return nil }
        guard isString else { return Array(bytes) }
        return scan { (scanner) throws(JSONError) in try scanner.string().withUTF8 { Array($0) } }
    }

    /// In order; none unless it is an object.
    var members: [(name: String, value: JSONView)] {
        guard isObject else { return [] }
        let base = bytes.startIndex
        return scan { (scanner) throws(JSONError) in
            var members: [(name: String, value: JSONView)] = []
            var object = try scanner.beginObject()
            while let name = try scanner.nextMember(of: &object) {
                let text = name.text
                let value = try scanner.value()
                members.append((text, JSONView(bytes[base + value.offset..<base + value.offset + value.bytes.count])))
            }
            return members
        } ?? []
    }

    /// In order; none unless it is an array.
    var elements: [JSONView] {
        guard bytes.first == UInt8(ascii: "[") else { return [] }
        let base = bytes.startIndex
        return scan { (scanner) throws(JSONError) in
            var elements: [JSONView] = []
            var array = try scanner.beginArray()
            while try scanner.nextElement(of: &array) {
                let value = try scanner.value()
                elements.append(JSONView(bytes[base + value.offset..<base + value.offset + value.bytes.count]))
            }
            return elements
        } ?? []
    }

    var memberNames: [String] { members.map(\.name) }

    /// The first member of this name.
    func member(_ name: String) -> JSONView? {
        guard isObject else { return nil }
        let base = bytes.startIndex
        return scan { (scanner) throws(JSONError) -> JSONView? in
            var object = try scanner.beginObject()
            while let candidate = try scanner.nextMember(of: &object) {
                let isMeant = candidate.withUTF8 { $0.elementsEqual(name.utf8) }
                let value = try scanner.value()
                if isMeant { return JSONView(bytes[base + value.offset..<base + value.offset + value.bytes.count]) }
            }
            return nil
        } ?? nil
    }

    func value(at path: FieldPath) -> JSONView? {
        if let member = member(path.name) { return member }
        guard path.names.count > 1 else { return nil }
        var value = self
        for name in path.names {
            guard let member = value.member(name) else { return nil }
            value = member
        }
        return value
    }

    /// `nil` would mean that the value was not checked.
    private func scan<R>(_ body: (inout JSONScanner) throws(JSONError) -> R) -> R? {
        bytes.withUnsafeBytes { bytes in
            var scanner = JSONScanner(bytes, depthMax: JSONView.depthMax)
            do throws(JSONError) { return try body(&scanner) } catch { return nil }
        }
    }
}
