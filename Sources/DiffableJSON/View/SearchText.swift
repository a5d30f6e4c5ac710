import Diffable

@_spi(_Unicode) import Swift

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Words that a search looks for in the strings of an item's content, or at certain places. Case and diacritics do not count.
struct SearchText: Sendable {
    /// Each word must be in one of the strings.
    let words: [[UInt8]]
    /// Nil: all strings of the content.
    let places: SearchPlaces?

    init(_ text: String, in places: SearchPlaces? = nil) {
        self.places = places
        words = Self.words(of: text)
    }

    /// The words of a search, without case and diacritics.
    static func words(of text: String) -> [[UInt8]] {
        text.split(whereSeparator: \.isWhitespace).map { folded(String($0)) }
    }

    /// O(length of the content).
    func isFound(in item: Item) -> Bool {
        guard item.record.withContent(mayBeFound) || mayBeFound(outsideContentOf: item) else { return false }
        return places.map { isFound(in: item, at: $0) } ?? isFound(inFolded: Self.folded(item))
    }

    private func isFound(in item: Item, at places: SearchPlaces) -> Bool {
        var missing = words
        return words.isEmpty
            || places.containsText(of: item) { text in
                var folded: [UInt8] = []
                Self.append(text, to: &folded)
                missing.removeAll(where: folded.hasPart)
                return missing.isEmpty
            }
    }

    /// False if one of the words is nowhere in the content, inside a string or not. Most items are rejected in this way,
    /// without parsing their strings.
    private func mayBeFound(inContent content: UnsafeRawBufferPointer) -> Bool {
        guard content.count <= Self.lengthCopiedMax, !words.isEmpty else { return true }
        return withUnsafeTemporaryAllocation(byteCount: content.count, alignment: 1) { text in
            var special: UInt8 = 0
            for index in 0..<content.count {
                let byte = content[index]
                special |= byte & 0x80 | (byte == UInt8(ascii: "\\") ? 0x80 : 0)
                text[index] = byte.asciiFolded
            }
            // Text that is not ASCII, or has escapes, is folded differently.
            if special != 0 { return true }
            return words.allSatisfy { UnsafeRawBufferPointer(text).hasPart($0) }
        }
    }

    /// False if none of the words is in the id, if the search looks at ids, or in the kind.
    private func mayBeFound(outsideContentOf item: Item) -> Bool {
        guard let places else { return false }
        if places.looksAtKinds { return true }
        return places.looksAtIDs
            && item.record.withID { id in
                if id.contains(where: { $0 >= 0x80 }) { return true }
                let folded = id.map(\.asciiFolded)
                return words.contains { folded.hasPart($0) }
            }
    }

    /// Bytes that are copied on the stack.
    private static let lengthCopiedMax = 1_024

    /// `text` has all strings of an item, folded, one after the other.
    func isFound(inFolded text: [UInt8]) -> Bool {
        // A word of nothing but marks is in every string, but there has to be one.
        words.isEmpty || !text.isEmpty && words.allSatisfy(text.hasPart)
    }

    /// All strings of an item's content, folded. The separator is not valid UTF-8, so it is not in any word.
    static func folded(_ item: Item) -> [UInt8] {
        var text: [UInt8] = []
        item.record.withContent { content in
            if content.isEmpty { return }
            text.reserveCapacity(content.count)
            append(CompactValue(content), to: &text)
        }
        return text
    }

    /// Appends each text that the search looks at, folded, and `View.textEnd` after it.
    func appendTexts(of item: Item, to bytes: inout [UInt8]) {
        guard let places else { return bytes += Self.folded(item) }
        _ = places.containsText(of: item) { text in
            Self.append(text, to: &bytes)
            bytes.append(View.textEnd)
            return false
        }
    }

    private static func append(_ value: CompactValue, to text: inout [UInt8]) {
        if let string = value.string {
            string.withUTF8 { append($0, to: &text) }
            text.append(View.textEnd)
        } else if value.isObject {
            let start = text.count
            var names: [MemberText] = []
            var cursor = value.memberCursor()
            while let member = cursor.next() {
                names.append(member.name)
                append(member.value, to: &text)
            }
            if NameIndex(of: names).twice == nil { return }
            // Rare: a later member replaces another one.
            text.removeSubrange(start...)
            for member in value.members { append(member.value, to: &text) }
        } else {
            for element in value.elements { append(element, to: &text) }
        }
    }

    private static func append(_ string: UnsafeRawBufferPointer, to text: inout [UInt8]) {
        if string.allSatisfy({ $0 < 0x80 }) {
            for byte in string { text.append(byte.asciiFolded) }
        } else {
            text += folded(String(decoding: string, as: UTF8.self))
        }
    }

    /// Removes case and the marks on letters: full case folding (Unicode standard, chapter 3.13), canonical decomposition (UAX
    /// #15), and then no combining scalars.
    ///
    /// The decomposition is an internal function of the standard library, which Foundation uses too; its name may change. It is
    /// called for one scalar at a time: for a whole text it would sort the marks on each letter, in quadratic time, and the
    /// marks are removed anyway.
    static func folded(_ text: String) -> [UInt8] {
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            return text.utf8.map(\.asciiFolded)
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

    /// Appends its full case folding, without marks: `ss` for `ß`, `σ` for a final `ς`, `fi` for the ligature.
    ///
    /// The standard library has no table for case folding, but it reveals which scalars are in the table. Their folding is
    /// their upper case, with each scalar of it in lower case if that scalar is in the table too. Lower case is tried first,
    /// because `ẞ` is upper case already. A test compares this with the table for all scalars.
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

extension UInt8 {
    fileprivate var asciiFolded: UInt8 { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= self ? self | 0x20 : self }
}

extension [UInt8] {
    func hasPart(_ part: [UInt8]) -> Bool { withUnsafeBytes { $0.hasPart(part) } }
}

extension UnsafeRawBufferPointer {
    fileprivate func hasPart(_ part: [UInt8]) -> Bool {
        guard let first = part.first else { return true }
        return part.withUnsafeBytes { part in
            guard var place = baseAddress, let wanted = part.baseAddress else { return false }
            let end = place + count
            while end - place >= part.count, let found = memchr(place, Int32(first), end - place - part.count + 1) {
                if memcmp(found, wanted, part.count) == 0 { return true }
                place = UnsafeRawPointer(found) + 1
            }
            return false
        }
    }
}
