/// Ids for the lines of a text that are not the lines themselves, so that lines may repeat.
package enum LineIDs: String, CaseIterable, Sendable {
    /// The number of the line in the text, counted from 1.
    case number
    /// A hash of the line. Equal lines have the same hash, so a count follows the second and later ones: `…~2`.
    case hash
}

/// Gives each line of a text its id.
struct LineNaming {
    private let ids: LineIDs?
    /// The number of lines so far with a hash.
    private var counts: [String: Int] = [:]

    init(_ ids: LineIDs?) { self.ids = ids }

    mutating func id(of text: ArraySlice<UInt8>, line: Int) -> [UInt8] {
        switch ids {
        // Nearly all lines. The others are long, or may look like a cut one, which ends with "…" and a hash.
        case nil where text.count <= TruncatedID.lengthMax && text.suffix(19).first != 0xE2: return Array(text)
        case nil: return Array(TruncatedID.id(of: String(decoding: text, as: UTF8.self)).utf8)
        case .number: return Array("\(line)".utf8)
        case .hash:
            let hash = TruncatedID.hash(of: text)
            let count = counts[hash, default: 0] + 1
            counts[hash] = count
            return Array((count == 1 ? hash : "\(hash)~\(count)").utf8)
        }
    }
}
