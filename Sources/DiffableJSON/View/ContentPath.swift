import Diffable

/// Where in an item to look: at its id, its kind, or a member of its content.
enum ContentPath: Equatable, Sendable {
    case id
    case kind
    /// A JSON pointer (RFC 6901), in its parts; none is the content itself.
    case content([String])
}

extension ContentPath {
    /// `id`, `kind`, or a JSON pointer; nil for anything else.
    init?(_ text: String) {
        switch text {
        case "id": self = .id
        case "kind": self = .kind
        case "": self = .content([])
        default:
            guard text.hasPrefix("/") else { return nil }
            var parts: [String] = []
            for part in text.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
                guard let part = Self.unescaped(part) else { return nil }
                parts.append(part)
            }
            self = .content(parts)
        }
    }

    /// `~1` is a slash and `~0` a tilde.
    private static func unescaped(_ part: Substring) -> String? {
        var result = ""
        var isEscaped = false
        for character in part.unicodeScalars {
            if isEscaped {
                guard character == "0" || character == "1" else { return nil }
                result.unicodeScalars.append(character == "0" ? "~" : "/")
                isEscaped = false
            } else if character == "~" {
                isEscaped = true
            } else {
                result.unicodeScalars.append(character)
            }
        }
        return isEscaped ? nil : result
    }

    /// Lends what stands there; nil where nothing does. O(length of the content).
    func withValue<R>(in item: Item, _ body: (Found?) -> R) -> R {
        switch self {
        case .id: item.record.withID { body(.text($0)) }
        case .kind: item.record.hasKind ? item.record.withKind { body(.text($0)) } : body(nil)
        case .content(let parts):
            item.record.withContent { content in
                var value: CompactValue? = content.isEmpty ? nil : CompactValue(content)
                for part in parts { value = value?.member(part) }
                return body(value.map { .value($0) })
            }
        }
    }

    enum Found {
        /// The bytes of an id or a kind.
        case text(UnsafeRawBufferPointer)
        case value(CompactValue)
    }
}

extension CompactValue {
    /// The last of the members of that name, or the element of that index.
    fileprivate func member(_ name: String) -> CompactValue? {
        if isObject {
            var found: CompactValue?
            var cursor = memberCursor()
            while let member = cursor.next() {
                if member.name.string.text == name { found = member.value }
            }
            return found
        }
        // RFC 6901: digits, without leading zeros.
        guard isArray, let index = Int(name), String(index) == name else { return nil }
        let elements = elements
        return elements.indices.contains(index) ? elements[index] : nil
    }
}
