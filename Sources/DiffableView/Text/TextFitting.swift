// Measures texts in columns. Nothing here reads further into a text than it must: a word may be a megabyte long.

/// Counts the columns, and stops when the limit is reached.
package func columnCount(of text: String, limit: Int = .max) -> Int {
    var count = 0
    for cluster in Clusters(text) {
        count += cluster.width
        if count >= limit { return count }
    }
    return count
}

func fitted(_ text: String, columns: Int) -> String {
    guard columns > 0 else { return "" }
    var count = 0
    var kept = ""
    /// Bytes of `kept` that leave a column for the ellipsis.
    var shortLength = 0
    for cluster in Clusters(text) {
        count += cluster.width
        if count > columns { return String(decoding: kept.utf8.prefix(shortLength), as: UTF8.self) + "…" }
        cluster.append(to: &kept)
        if count < columns { shortLength = kept.utf8.count }
    }
    return kept
}

/// Wraps a text into at most `lines` lines of `columns` columns; the last one ends with an ellipsis if there is more. Lines
/// break at white space, next to ideographs, and within a word that is longer than a line.
func wrapped(_ text: String, columns: Int, lines lineCountMax: Int) -> [String] {
    guard columns > 0, lineCountMax > 0 else { return [] }
    var wrapping = Wrapping(columns: columns)
    for cluster in Clusters(text) {
        wrapping.append(cluster)
        // One extra line shows that the text is longer.
        if wrapping.lines.count > lineCountMax { break }
    }
    wrapping.endLine()
    var lines = wrapping.lines
    guard lines.count > lineCountMax else { return lines }
    let more = lines[lineCountMax]
    lines.removeLast(lines.count - lineCountMax)
    lines[lineCountMax - 1] = fitted(lines[lineCountMax - 1] + " " + more, columns: columns)
    if lines[lineCountMax - 1].last != "…" { lines[lineCountMax - 1] += "…" }
    return lines
}

private struct Wrapping {
    let columns: Int
    var lines: [String] = []
    private var line = ""
    private var lineWidth = 0
    /// The text after the last place where the line may break.
    private var word = ""
    private var wordWidth = 0

    init(columns: Int) { self.columns = columns }

    mutating func append(_ cluster: Cluster) {
        if cluster == .space {
            endWord()
            // White space at the beginning of a line would look like an indentation.
            if lineWidth > 0, lineWidth < columns {
                line += " "
                lineWidth += 1
            }
            return
        }
        if cluster.width > columns { return append(.replacement) }
        if lineWidth + wordWidth + cluster.width > columns {
            if lineWidth == 0 { endWord() }
            breakLine()
        }
        cluster.append(to: &word)
        wordWidth += cluster.width
        if cluster.width == 2 { endWord() }
    }

    private mutating func endWord() {
        line += word
        lineWidth += wordWidth
        (word, wordWidth) = ("", 0)
    }

    private mutating func breakLine() {
        while line.last == " " { line.removeLast() }
        lines.append(line)
        (line, lineWidth) = ("", 0)
    }

    mutating func endLine() {
        endWord()
        if lineWidth > 0 || lines.isEmpty { breakLine() }
    }
}

extension Cluster {
    func append(to text: inout String) {
        switch contents {
        case .scalar(let scalar): text.unicodeScalars.append(scalar)
        case .sequence(let sequence): text += sequence
        }
    }
}
