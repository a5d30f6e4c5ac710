import Diffable

/// A path to a value of an item: its id, its kind, or a value in its content.
enum ContentPath: Hashable, Sendable {
    case id
    case kind
    /// The reference tokens of a JSON pointer (RFC 6901), in UTF-8. Empty for the whole content.
    case content([[UInt8]])
}

extension ContentPath {
    /// At least 1, because a path without segments takes memory too.
    var numberOfSegments: Int { if case .content(let parts) = self { max(parts.count, 1) } else { 1 } }

    /// Parses `id`, `kind`, or a JSON pointer, in UTF-8; nil for any other text. It works on bytes, because Swift would join a
    /// combining mark after a slash with the slash.
    init?(_ text: UnsafeRawBufferPointer) {
        if text.elementsEqual("id".utf8) {
            self = .id
        } else if text.elementsEqual("kind".utf8) {
            self = .kind
        } else if text.isEmpty {
            self = .content([])
        } else {
            guard text.first == UInt8(ascii: "/") else { return nil }
            var parts: [[UInt8]] = []
            for part in text.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
                guard let part = Self.unescaped(part) else { return nil }
                parts.append(part)
            }
            self = .content(parts)
        }
    }

    /// `~1` is a slash and `~0` a tilde.
    private static func unescaped(_ part: Slice<UnsafeRawBufferPointer>) -> [UInt8]? {
        guard part.contains(UInt8(ascii: "~")) else { return Array(part) }
        var result: [UInt8] = []
        var isEscaped = false
        for byte in part {
            switch (byte, isEscaped) {
            case (UInt8(ascii: "0"), true): result.append(UInt8(ascii: "~"))
            case (UInt8(ascii: "1"), true): result.append(UInt8(ascii: "/"))
            case (_, true): return nil
            case (UInt8(ascii: "~"), false): break
            default: result.append(byte)
            }
            isEscaped = !isEscaped && byte == UInt8(ascii: "~")
        }
        return isEscaped ? nil : result
    }

    /// Lends the value at the path; nil if there is none. O(length of the content).
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
        case text(UnsafeRawBufferPointer)
        case value(CompactValue)
    }
}

extension CompactValue {
    fileprivate func member(_ name: [UInt8]) -> CompactValue? {
        if isObject {
            var found: CompactValue?
            var cursor = memberCursor()
            while let member = cursor.next() {
                if member.name.string.withUTF8({ $0.elementsEqual(name) }) { found = member.value }
            }
            return found
        }
        // RFC 6901: digits, without leading zeros.
        guard isArray, let index = Int(String(decoding: name, as: UTF8.self)), Array("\(index)".utf8) == name else {
            return nil
        }
        let elements = elements
        return elements.indices.contains(index) ? elements[index] : nil
    }
}
