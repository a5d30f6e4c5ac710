/// A JSON value, parsed and written simply: for a model that shares no code with the daemon.
///
/// Members keep their order, and numbers their text, so that `text` is the compact text that was read.
package indirect enum NaiveJSON: Equatable {
    case null
    case boolean(Bool)
    case number(String)
    case string(String)
    case array([NaiveJSON])
    case object([Member])

    package struct Member: Equatable {
        package var name: String
        package var value: NaiveJSON

        package init(name: String, value: NaiveJSON) { (self.name, self.value) = (name, value) }
    }

    package init(_ text: String) throws {
        var reader = NaiveReader(text)
        self = try reader.value()
        guard reader.isAtEnd else { throw NaiveFailure("there is more behind \(text.prefix(100))") }
    }

    package subscript(name: String) -> NaiveJSON? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.name == name }?.value
    }

    package var members: [Member] { if case .object(let members) = self { members } else { [] } }

    /// The object with another value of a member.
    package func replacing(_ name: String, by value: NaiveJSON) -> NaiveJSON {
        .object(members.map { $0.name == name ? Member(name: name, value: value) : $0 })
    }

    package var elements: [NaiveJSON] { if case .array(let elements) = self { elements } else { [] } }

    package var string: String? { if case .string(let string) = self { string } else { nil } }

    package var double: Double? { if case .number(let text) = self { Double(text) } else { nil } }

    package var int: Int? { if case .number(let text) = self { Int(text) } else { nil } }

    package var boolean: Bool? { if case .boolean(let boolean) = self { boolean } else { nil } }

    package var isNull: Bool { self == .null }

    /// Compact JSON.
    package var text: String {
        switch self {
        case .null: "null"
        case .boolean(let boolean): "\(boolean)"
        case .number(let text): text
        case .string(let string): Self.quoted(string)
        case .array(let elements): "[\(elements.map(\.text).joined(separator: ","))]"
        case .object(let members):
            "{\(members.map { "\(Self.quoted($0.name)):\($0.value.text)" }.joined(separator: ","))}"
        }
    }

    package static func quoted(_ string: String) -> String {
        "\"\(string.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
    }
}

package struct NaiveFailure: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

private struct NaiveReader {
    private var rest: Substring.UnicodeScalarView

    init(_ text: String) { rest = text.unicodeScalars[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func value() throws -> NaiveJSON {
        switch rest.first {
        case "{":
            var members: [NaiveJSON.Member] = []
            try list("}") { reader in
                let name = try reader.string()
                try reader.skip(":")
                members.append(NaiveJSON.Member(name: name, value: try reader.value()))
            }
            return .object(members)
        case "[":
            var elements: [NaiveJSON] = []
            try list("]") { reader in elements.append(try reader.value()) }
            return .array(elements)
        case "\"": return .string(try string())
        default:
            let word = String(rest.prefix { !",]}".unicodeScalars.contains($0) })
            rest.removeFirst(word.unicodeScalars.count)
            switch word {
            case "null": return .null
            case "true": return .boolean(true)
            case "false": return .boolean(false)
            default:
                guard Double(word) != nil else { throw NaiveFailure("no value: \(word.prefix(20))") }
                return .number(word)
            }
        }
    }

    private mutating func list(_ end: Unicode.Scalar, _ body: (inout NaiveReader) throws -> Void) throws {
        rest.removeFirst()
        if rest.first == end {
            rest.removeFirst()
            return
        }
        while true {
            try body(&self)
            if rest.first == end {
                rest.removeFirst()
                return
            }
            try skip(",")
        }
    }

    private mutating func skip(_ mark: Unicode.Scalar) throws {
        guard rest.first == mark else { throw NaiveFailure("no \(mark) before \(String(rest.prefix(20)))") }
        rest.removeFirst()
    }

    private mutating func string() throws -> String {
        try skip("\"")
        var string = String.UnicodeScalarView()
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\"": return String(string)
            case "\\":
                guard let escaped = rest.popFirst(), "\"\\/".unicodeScalars.contains(escaped) else {
                    throw NaiveFailure("an escape that the model does not write")
                }
                string.append(escaped)
            default: string.append(scalar)
            }
        }
        throw NaiveFailure("a string without an end")
    }
}
