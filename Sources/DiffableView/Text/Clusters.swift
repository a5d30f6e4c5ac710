/// The visible grapheme clusters of a text, in order. Swift's rules for the end of a cluster are thorough and cost some 50 ns a
/// character. Most pairs of characters need none of them: a letter before another letter is a cluster by itself.
package struct Clusters: Sequence, IteratorProtocol {
    private let text: String
    private let scalars: String.UnicodeScalarView
    private var index: String.Index

    package init(_ text: String) {
        self.text = text
        scalars = text.unicodeScalars
        index = text.startIndex
    }

    package mutating func next() -> Cluster? {
        while index != scalars.endIndex {
            let scalar = scalars[index]
            if scalar.beginsCluster {
                let next = scalars.index(after: index)
                if next == scalars.endIndex || scalars[next].beginsCluster {
                    index = next
                    return Cluster(.scalar(scalar), width: scalar.value < 0x3041 ? 1 : 2)
                }
            }
            let start = index
            index = text.index(after: index)
            // Unicode's rules begin a new cluster at some spacing marks, in Burmese for example. Some terminals draw these
            // marks on the previous cell.
            while index != scalars.endIndex, scalars[index].mayCombine { index = text.index(after: index) }
            if let cluster = Cluster(scalars: text[start..<index].unicodeScalars) { return cluster }
        }
        return nil
    }
}

extension Unicode.Scalar {
    /// Whether it begins a cluster after any character, and is a cluster by itself if another such character follows. Below
    /// U+3041 all of these are narrow, from there on wide.
    fileprivate var beginsCluster: Bool {
        switch value {
        case 0x20..<0x7F, 0xA1..<0xAD, 0xAE..<0x300, 0x400..<0x483, 0x2500..<0x25A0, 0x3041..<0x3097, 0x30A1..<0x30FB,
            0x4E00..<0xA000,
            0xAC00..<0xD7A4:
            true
        default: false
        }
    }
}
