import Diffable

/// Turns a file's path into an item's id. Different paths get different ids. Most ids are the path itself. Bytes that are not
/// valid UTF-8, control characters, and a `%` before two hexadecimal digits are written as `%` and two hexadecimal digits. A path
/// that is too long for an id is cut, and a hash of the whole path is appended.
enum FileID {
    static let lengthMax = 255
    private static let keptMax = 200

    /// - Parameter path: relative to the listed directory.
    static func id(ofPath path: [UInt8]) -> ItemID {
        let escaped = escaped(path)
        let text = escaped.utf8.count > lengthMax || endsWithNumber(escaped) ? shortened(escaped) : escaped
        guard let id = try? ItemID(text) else {
            preconditionFailure("a path is not a valid id: \(text.debugDescription)")
        }
        return id
    }

    /// A different id, for a path whose hash collides with another's.
    static func id(_ id: ItemID, again count: Int) -> ItemID {
        guard let id = try? ItemID("\(id)~\(count)") else { preconditionFailure("no id: \(id)~\(count)") }
        return id
    }

    /// Whether the id ends with a hash, so that two paths could have it.
    static func isNumbered(_ id: ItemID) -> Bool { endsWithNumber(id.description) }

    /// Whether the id may belong to a file below a folder. An id with a hash does not show it.
    static func mayBe(_ id: ItemID, below folder: ItemID) -> Bool {
        isNumbered(id) || "\(id)".utf8.starts(with: "\(folder)/".utf8)
    }

    private static func escaped(_ path: [UInt8]) -> String {
        let isPlain = path.allSatisfy { 0x20..<0x7F ~= $0 && $0 != UInt8(ascii: "%") }
        if isPlain { return String(decoding: path, as: UTF8.self) }
        var text = ""
        var rest = path[...]
        while let byte = rest.first {
            if let scalar = firstScalar(rest), !isControl(scalar) {
                if scalar == "%", isEscape(rest) { text += "%25" } else { text.unicodeScalars.append(scalar) }
                rest = rest.dropFirst(UTF8.width(scalar))
            } else {
                text += "%" + hexadecimal(UInt64(byte), digits: 2)
                rest = rest.dropFirst()
            }
        }
        return text
    }

    private static func firstScalar(_ bytes: ArraySlice<UInt8>) -> Unicode.Scalar? {
        var iterator = bytes.prefix(4).makeIterator()
        var decoder = UTF8()
        guard case .scalarValue(let scalar) = decoder.decode(&iterator) else { return nil }
        return scalar
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.generalCategory == .control }

    private static func isEscape(_ bytes: ArraySlice<UInt8>) -> Bool {
        let digits = bytes.dropFirst().prefix(2)
        return digits.count == 2 && digits.allSatisfy { Array("0123456789ABCDEF".utf8).contains($0) }
    }

    private static func shortened(_ text: String) -> String {
        let kept = text.utf8.count <= keptMax ? text : String(decoding: text.utf8.prefix(keptMax), as: UTF8.self)
        // The cut may have split a character.
        let whole = kept.hasSuffix("\u{FFFD}") && kept != text ? String(kept.dropLast()) : kept
        return "\(whole)…" + hexadecimal(number(Array(text.utf8)), digits: 16)
    }

    private static func endsWithNumber(_ text: String) -> Bool {
        let tail = text.utf8.suffix(19)
        return tail.count == 19 && tail.starts(with: "…".utf8)
            && tail.dropFirst(3).allSatisfy { Array("0123456789ABCDEF".utf8).contains($0) }
    }

    /// 64-bit FNV-1a (G. Fowler, L. C. Noll and K.-P. Vo, RFC 9923), which gives the same value in every run.
    private static func number(_ bytes: [UInt8]) -> UInt64 {
        bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
    }

    private static func hexadecimal(_ number: UInt64, digits: Int) -> String {
        let text = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: digits - text.count) + text
    }
}
