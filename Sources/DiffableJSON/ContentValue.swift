import Diffable

/// A parsed content, for programs that show it. Numbers keep their text, and members keep their order.
package indirect enum ContentValue: Equatable, Sendable {
    case null
    case boolean(Bool)
    case number(String)
    case text(String)
    case array([ContentValue])
    case object([Member])

    package struct Member: Equatable, Sendable {
        package var name: String
        package var value: ContentValue

        package init(_ name: String, _ value: ContentValue) {
            self.name = name
            self.value = value
        }
    }
}

extension ContentValue {
    /// O(length of the content).
    package init(_ content: Content) {
        self = content.bytes.withUnsafeBytes { ContentValue(CompactValue($0)) }
    }

    init(_ value: CompactValue) {
        if let string = value.string {
            self = .text(string.text)
        } else if value.isObject {
            self = .object(value.members.map { Member($0.name.string.text, ContentValue($0.value)) })
        } else if value.isArray {
            self = .array(value.elements.map(ContentValue.init))
        } else if let boolean = value.boolean {
            self = .boolean(boolean)
        } else if value.isNull {
            self = .null
        } else {
            self = .number(String(decoding: value.bytes, as: UTF8.self))
        }
    }

    /// The last member with this name; nil if there is none.
    package subscript(_ name: String) -> ContentValue? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.name == name }?.value
    }

    /// The value at a JSON pointer (RFC 6901); nil if there is none, or if the text is not a pointer.
    package func value(at pointer: String) -> ContentValue? {
        guard case .content(let parts)? = Array(pointer.utf8).withUnsafeBytes({ ContentPath($0) }) else { return nil }
        var value = self
        for part in parts {
            let name = String(decoding: part, as: UTF8.self)
            switch value {
            case .object:
                guard let member = value[name] else { return nil }
                value = member
            case .array(let elements):
                guard let index = Int(name), "\(index)" == name, elements.indices.contains(index) else { return nil }
                value = elements[index]
            default: return nil
            }
        }
        return value
    }

    package var boolean: Bool? {
        if case .boolean(let boolean) = self { boolean } else { nil }
    }

    package var number: Double? {
        if case .number(let text) = self { Double(text) } else { nil }
    }

    package var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    package var elements: [ContentValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    package var isObject: Bool {
        if case .object = self { true } else { false }
    }
}
