import Diffable
@_spi(_Unicode) import Swift

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// Text to be found in the strings of an item's content, whatever the case and the diacritics.
struct SearchText: Sendable {
    /// Each must be in one of the strings.
    let words: [[UInt8]]

    init(_ text: String) {
        words = text.split(whereSeparator: \.isWhitespace).map { Self.folded(String($0)) }
    }

    /// O(length of the content).
    func isFound(in item: Item) -> Bool {
        var missing = words
        item.record.withContent { content in
            if !content.isEmpty { Self.search(CompactValue(content), for: &missing) }
        }
        return missing.isEmpty
    }

    private static func search(_ value: CompactValue, for missing: inout [[UInt8]]) {
        if missing.isEmpty { return }
        if let string = value.string {
            let text = folded(string.text)
            missing.removeAll(where: text.hasPart)
        } else if value.isObject {
            var cursor = value.memberCursor()
            while let member = cursor.next() { search(member.value, for: &missing) }
        } else {
            for element in value.elements { search(element, for: &missing) }
        }
    }

    /// Without marks on letters and without case: the canonical decomposition of the Unicode standard (UAX #15), less
    /// what combines, in lower case.
    ///
    /// The decomposition is the standard library's own, which Foundation uses too; its name may change there. It is
    /// asked for one scalar at a time, because it sorts the marks on a letter in time that grows with the square of
    /// their number, only for them to be left out here.
    static func folded(_ text: String) -> [UInt8] {
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            return text.utf8.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0 }
        }
        var base = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if scalar.isASCII {
                base.append(scalar)
            } else if !scalar.isMark {
                base.append(contentsOf: String(scalar)._nfd.filter { !$0.isMark })
            }
        }
        return Array(String(base).lowercased().utf8)
    }
}

extension Unicode.Scalar {
    fileprivate var isMark: Bool { properties.generalCategory == .nonspacingMark }
}

extension [UInt8] {
    /// Whether these bytes stand in it, next to each other.
    func hasPart(_ part: [UInt8]) -> Bool {
        guard let first = part.first else { return true }
        return withUnsafeBytes { text in
            part.withUnsafeBytes { part in
                guard var place = text.baseAddress, let wanted = part.baseAddress else { return false }
                let end = place + text.count
                while end - place >= part.count, let found = memchr(place, Int32(first), end - place - part.count + 1) {
                    if memcmp(found, wanted, part.count) == 0 { return true }
                    place = UnsafeRawPointer(found) + 1
                }
                return false
            }
        }
    }
}
