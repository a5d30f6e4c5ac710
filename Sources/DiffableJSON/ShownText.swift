/// What a client sent, as a message repeats it.
extension String {
    /// Cut to about 100 bytes, between scalars: a message stays a line that people read and that fits every limit.
    package var shown: String {
        let lengthMax = 100
        guard utf8.count > lengthMax else { return self }
        var end = utf8.index(startIndex, offsetBy: lengthMax)
        while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return "\(self[..<end])…"
    }
}
