/// The value in the log for a batch that is too long for one request to etcd: it names the keys with the pieces of the text.
///
/// The pieces are written before the swap that appends this value, so a batch is in the log completely or not at all. The
/// pieces of an append that was lost are deleted with the log before a checkpoint.
struct BatchPieces: Codable {
    /// Distinguishes the texts that hosts tried to append as this batch.
    var attempt: String
    var count: Int

    init(attempt: String, count: Int) { (self.attempt, self.count) = (attempt, count) }

    /// Returns nil if the value is the text of a batch, which has other members.
    init?(value: String) {
        guard value.hasPrefix(#"{"attempt":"#), let pieces = JSONText.decoded(Self.self, value) else { return nil }
        self = pieces
    }
}

extension String {
    /// Splits the text between characters of UTF-8.
    ///
    /// - Parameter length: the most bytes of a piece, at least 4.
    func pieces(of length: Int) -> [String] {
        var pieces: [String] = []
        var rest = self[...]
        while !rest.isEmpty {
            var end = rest.utf8.index(rest.startIndex, offsetBy: length, limitedBy: rest.endIndex) ?? rest.endIndex
            while end < rest.endIndex, rest.utf8[end] & 0xC0 == 0x80 { end = rest.utf8.index(before: end) }
            pieces.append(String(rest[..<end]))
            rest = rest[end...]
        }
        return pieces
    }
}
