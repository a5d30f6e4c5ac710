/// Quotes a client's text in messages.
extension String {
    /// The text, cut to about 100 bytes between scalars, so that a message stays readable and fits every limit.
    package var shown: String {
        let lengthMax = 100
        guard utf8.count > lengthMax else { return self }
        var end = utf8.index(startIndex, offsetBy: lengthMax)
        while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return "\(self[..<end])…"
    }

    /// The text in quotation marks. Quotation marks and backslashes in it are escaped, so that it cannot end early: messages
    /// with it are written to the log.
    package var quoted: String { shown.debugDescription }
}
