/// One grapheme cluster, as a terminal draws it: a letter with its marks, an ideograph, an emoji family.
package struct Cluster: Equatable, Sendable {
    package enum Contents: Equatable, Sendable {
        /// Nearly all clusters are one scalar.
        case scalar(Unicode.Scalar)
        case sequence(String)
    }

    package let contents: Contents
    /// Columns: 1 or 2.
    package let width: Int
    /// Whether terminals disagree on its width.
    package let isDoubtful: Bool

    package init(_ contents: Contents, width: Int, isDoubtful: Bool = false) {
        self.contents = contents
        self.width = width
        self.isDoubtful = isDoubtful
    }

    package static let space = Cluster(.scalar(" "), width: 1)
    package static let ellipsis = Cluster(.scalar("…"), width: 1)
    package static let replacement = Cluster(.scalar("\u{FFFD}"), width: 1)
}

extension Cluster {
    /// The limit of a cluster's scalars; further ones are left out. The longest emoji has ten.
    static let scalarCountMax = 24

    /// Nil for invisible characters: control characters, byte order marks, joiners without neighbours.
    package init?(_ character: Character) {
        self.init(scalars: character.unicodeScalars[...])
    }

    init?(scalars: Substring.UnicodeScalarView) {
        guard let first = scalars.first else { return nil }
        if scalars.index(after: scalars.startIndex) == scalars.endIndex {
            self.init(first)
        } else {
            self.init(sequence: scalars)
        }
    }

    private init?(_ scalar: Unicode.Scalar) {
        let width = ScalarWidth(scalar)
        switch width {
        case .none: return nil
        // A mark without a letter gets a dotted circle, as in Unicode's charts. Otherwise some terminals would draw it on the
        // previous cell.
        case .mark: self.init(.sequence("\u{25CC}" + String(scalar)), width: 1, isDoubtful: true)
        case .narrow where scalar.mayCombine, .wide where scalar.mayCombine:
            self.init(.sequence("\u{25CC}" + String(scalar)), width: 2, isDoubtful: true)
        case .narrow, .wide:
            self.init(.scalar(scalar), width: width == .wide ? 2 : 1, isDoubtful: scalar.hasDoubtfulWidth)
        }
    }

    /// Terminals with support for clusters draw an emoji sequence in two columns, others draw its emojis side by side. Some
    /// terminals join two letters with columns of their own into one. Two columns suit most of them.
    private init?(sequence: Substring.UnicodeScalarView) {
        var text = String.UnicodeScalarView()
        var width = 0
        var markCount = 0
        var isEmoji = false
        for scalar in sequence.prefix(Self.scalarCountMax) {
            let scalarWidth = ScalarWidth(scalar)
            if text.isEmpty {
                switch scalarWidth {
                case .none: continue
                case .mark: text.append("\u{25CC}")
                case .narrow where scalar.mayCombine, .wide where scalar.mayCombine: text.append("\u{25CC}")
                case .narrow, .wide: break
                }
                width = scalarWidth == .wide || scalar.mayCombine ? 2 : 1
            } else {
                switch scalarWidth {
                case .none where scalar.properties.generalCategory == .control: continue
                case .none: isEmoji = isEmoji || scalar.properties.isVariationSelector || scalar == "\u{200D}"
                case .mark: markCount += 1
                case .narrow, .wide: (width, isEmoji) = (2, true)
                }
            }
            text.append(scalar)
            // Requests the emoji form of a character that is otherwise drawn as text.
            if scalar == "\u{FE0F}" { width = 2 }
        }
        guard let first = text.first else { return nil }
        if text.count == 1 {
            self.init(.scalar(first), width: width, isDoubtful: first.hasDoubtfulWidth)
        } else {
            // Marks of other scripts take a column in terminals with older tables (libvterm: Burmese).
            let isCommonMark = text.last.map { 0x300..<0x370 ~= $0.value } ?? false
            let isSimple = markCount == 1 && text.count == 2 && !isEmoji && first != "\u{25CC}" && isCommonMark
            self.init(
                .sequence(String(text)), width: width,
                isDoubtful: !isSimple || first.hasDoubtfulWidth || text.last?.properties.generalCategory == .spacingMark
            )
        }
    }
}
