import DiffableJSON

// The letters of a row that a search has found. A word is highlighted in the text of the row that it matches best.

extension Scene {
    func highlight(_ canvas: inout Canvas, _ decoration: Decoration) {
        let top = regions.rows.lowerBound
        for piece in stack.pieces {
            for frame in piece.block.frames where frame.id.item != nil {
                let texts = piece.block.runs.lazy.filter {
                    frame.rectangle.contains(.init(column: $0.column, row: $0.line))
                }
                .map(SoughtText.init)
                highlight(decoration, in: Array(texts), below: piece.line + top, &canvas)
            }
        }
    }

    private func highlight(_ decoration: Decoration, in texts: [SoughtText], below top: Int, _ canvas: inout Canvas) {
        for word in decoration.sought {
            let ranked = texts.compactMap { text in
                word.rank(in: text.letters).map { (rank: $0, text: text) }
            }
            guard let best = ranked.min(by: { $0.rank < $1.rank }),
                decoration.seeksLetters || best.rank.grade <= FuzzyWord.Grade.part.rawValue
            else { continue }
            for place in word.places(in: best.text.letters) {
                let rectangle = Rectangle(
                    column: best.text.columns[place].lowerBound, row: top + best.text.line,
                    width: best.text.columns[place].count, height: 1)
                canvas.restyle(rectangle) { style in
                    style.ink = .tint(.accent)
                    style.attributes.formUnion([.bold, .underline])
                }
            }
        }
    }
}

/// A text on the screen, folded as for a search, with the columns of each letter.
private struct SoughtText {
    var line: Int
    var letters: [UInt32] = []
    var columns: [Range<Int>] = []

    init(_ run: Block.Run) {
        line = run.line
        var column = run.column
        for cluster in Clusters(run.text) {
            guard column + cluster.width <= run.limit else { break }
            var text = ""
            cluster.append(to: &text)
            for letter in String(decoding: View.folded(text), as: UTF8.self).unicodeScalars {
                letters.append(letter.value)
                columns.append(column..<column + cluster.width)
            }
            column += cluster.width
        }
    }
}
