import Diffable
import DiffableInput

/// Turns a file's path into an item's id. Different paths get different ids. Most ids are the path itself. Bytes that are not
/// valid UTF-8, control characters, and a `%` before two hexadecimal digits are written as `%` and two hexadecimal digits. A path
/// that is too long for an id is cut, and a hash of the whole path is appended.
enum FileID {
    /// - Parameter path: relative to the listed directory.
    static func id(ofPath path: [UInt8]) -> ItemID {
        let text = TruncatedID.id(of: escaped(path))
        guard let id = try? ItemID(text) else {
            preconditionFailure("a path is not a valid id: \(text.debugDescription)")
        }
        return id
    }

    /// A different id, for a path whose hash collides with another's.
    static func id(_ id: ItemID, numbered count: Int) -> ItemID {
        guard let id = try? ItemID("\(id)~\(count)") else { preconditionFailure("no id: \(id)~\(count)") }
        return id
    }

    /// Whether the id ends with a hash, so that two paths could have it.
    static func isNumbered(_ id: ItemID) -> Bool { TruncatedID.isCut(id.description) }

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
                text += "%" + hexadecimal(byte)
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

    private static func hexadecimal(_ byte: UInt8) -> String {
        let text = String(byte, radix: 16, uppercase: true)
        return text.utf8.count == 1 ? "0\(text)" : text
    }
}
