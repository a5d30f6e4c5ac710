/// The number of columns of a single Unicode scalar. Swift's Unicode tables identify marks and emojis; the blocks of wide
/// characters are from Unicode's East Asian Width (UAX #11), which Swift lacks.
package enum ScalarWidth {
    case none
    case mark
    case narrow
    case wide

    package init(_ scalar: Unicode.Scalar) {
        if 0x20..<0x7F ~= scalar.value {
            self = .narrow
            return
        }
        let properties = scalar.properties
        switch properties.generalCategory {
        case .control, .format, .surrogate, .lineSeparator, .paragraphSeparator: self = .none
        case .nonspacingMark, .enclosingMark: self = properties.isDefaultIgnorableCodePoint ? .none : .mark
        // Vowels and trailing consonants of Hangul are drawn into the syllable that began before them.
        case _ where 0x1160...0x11FF ~= scalar.value || 0xD7B0...0xD7FF ~= scalar.value: self = .mark
        case _ where properties.isDefaultIgnorableCodePoint: self = .none
        default: self = scalar.isWide ? .wide : .narrow
        }
    }
}

extension Unicode.Scalar {
    fileprivate var isWide: Bool {
        if value < 0x1100 { return false }
        switch value {
        case 0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3,
            0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x1B2FF,
            0x1F200...0x1F2FF, 0x20000...0x3FFFD:
            return true
        default: return properties.isEmojiPresentation
        }
    }

    /// Whether some terminals give it columns of its own, and others draw it on the previous character: spacing marks, skin tones.
    var mayCombine: Bool {
        value >= 0x0903 && (0x1F3FB...0x1F3FF ~= value || properties.generalCategory == .spacingMark)
    }

    /// Whether terminals disagree on it: spacing marks, symbols that are wide in East Asian fonts, characters that are also
    /// emojis, characters of Unicode 13 and later, and private or unassigned ones.
    var hasDoubtfulWidth: Bool {
        if value < 0x300 { return false }
        let category = properties.generalCategory
        if category == .spacingMark || category == .unassigned { return true }
        if value < 0x2100 { return false }
        switch value {
        // Numbers in circles on black squares; symbols that Unicode 16 made wide.
        case 0x3248...0x324F, 0x1D300...0x1D376: return true
        // Lines and blocks, of which frames are made, and East Asian letters: all agree.
        case 0x2500...0x259F, 0x2800...0x28FF, 0x2E80...0xD7FF: return false
        // Small arrows and boxes that rows consist of: narrow in all tested terminals.
        case 0x203A, 0x25B8, 0x25BE, 0x2610...0x2611, 0x2713: return false
        case 0x2150...0x218F, 0x2190...0x21FF, 0x2460...0x24FF, 0x25A0...0x27BF, 0x2B00...0x2BFF: return true
        case 0xE000...0xF8FF, 0x1F1E6...0x1F1FF, 0x1F3FB...0x1F3FF, 0x1F6D5...0x1FBFF, 0xE0000...: return true
        default: return properties.isEmoji && !properties.isEmojiPresentation
        }
    }
}
