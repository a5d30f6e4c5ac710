import Diffable

@_spi(_Unicode) import Swift

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Words that a search looks for in the strings of an item's content. Case and diacritics do not count.
struct SearchText: Sendable {
    /// Each word must be in one of the strings.
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

    /// Removes case and the marks on letters: full case folding (Unicode standard, chapter 3.13), canonical decomposition
    /// (UAX #15), and then no combining scalars.
    ///
    /// The decomposition is an internal function of the standard library, which Foundation uses too; its name may change. It
    /// is called for one scalar at a time: for a whole text it would sort the marks on each letter, in quadratic time, and
    /// the marks are removed anyway.
    static func folded(_ text: String) -> [UInt8] {
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            return text.utf8.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0 }
        }
        var folded = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if scalar.isASCII {
                scalar.appendCaseFolding(to: &folded)
            } else if !scalar.isMark {
                for base in String(scalar)._nfd where !base.isMark { base.appendCaseFolding(to: &folded) }
            }
        }
        return Array(String(folded).utf8)
    }
}

extension Unicode.Scalar {
    fileprivate var isMark: Bool { properties.generalCategory == .nonspacingMark }

    /// Appends its full case folding, less marks: `ss` for `ß`, `σ` for a final `ς`, `fi` for the ligature.
    ///
    /// The standard library has no table for case folding, but it tells which scalars are in the table. Their folding is their
    /// upper case, with each scalar of it in lower case if that scalar is in the table too. Lower case comes first, because
    /// `ẞ` is upper case already. A test compares this with the table for all scalars.
    fileprivate func appendCaseFolding(to folded: inout String.UnicodeScalarView) {
        if isASCII {
            let isCapital = ("A"..."Z").contains(self)
            return folded.append(isCapital ? Unicode.Scalar(UInt8(value) | 0x20) : self)
        }
        guard properties.changesWhenCaseFolded else { return folded.append(self) }
        for small in properties.lowercaseMapping.unicodeScalars {
            for capital in small.properties.uppercaseMapping.unicodeScalars where !capital.isMark {
                guard capital.properties.changesWhenCaseFolded else {
                    folded.append(capital)
                    continue
                }
                folded.append(contentsOf: capital.properties.lowercaseMapping.unicodeScalars.filter { !$0.isMark })
            }
        }
    }
}

extension [UInt8] {
    /// Whether it contains these bytes in a row.
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
