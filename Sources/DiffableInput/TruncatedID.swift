import Diffable

/// Ids for texts that are longer than an id may be.
package enum TruncatedID {
    package static let lengthMax = 255
    private static let keptMax = 200

    /// The text if it can be an id; otherwise its beginning and a hash of the whole text.
    package static func id(of text: String) -> String {
        text.utf8.count > lengthMax || isCut(text) ? cut(text) : text
    }

    /// Whether a text ends like a cut one, so that two texts could have it as their id.
    package static func isCut(_ text: String) -> Bool {
        let tail = text.utf8.suffix(19)
        return tail.count == 19 && tail.starts(with: "…".utf8)
            && tail.dropFirst(3).allSatisfy { Array("0123456789ABCDEF".utf8).contains($0) }
    }

    private static func cut(_ text: String) -> String {
        let kept = text.utf8.count <= keptMax ? text : String(decoding: text.utf8.prefix(keptMax), as: UTF8.self)
        // The cut may have split a character.
        let whole = kept.hasSuffix("\u{FFFD}") && kept != text ? String(kept.dropLast()) : kept
        return "\(whole)…" + hash(of: text.utf8)
    }

    /// 16 digits of 64-bit FNV-1a (G. Fowler, L. C. Noll and K.-P. Vo, RFC 9923), which gives the same value in every run.
    package static func hash(of bytes: some Sequence<UInt8>) -> String {
        let number: UInt64 = bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
        let text = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: 16 - text.count) + text
    }
}
