/// A text from a client, as messages quote it.
extension String {
    /// It is cut to about 100 bytes, between scalars, so that a message stays readable and fits every limit.
    package var shown: String {
        let lengthMax = 100
        guard utf8.count > lengthMax else { return self }
        var end = utf8.index(startIndex, offsetBy: lengthMax)
        while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return "\(self[..<end])…"
    }
}
