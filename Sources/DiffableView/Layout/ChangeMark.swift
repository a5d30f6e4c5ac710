import Diffable

/// Marks the texts of a row that others changed. The mark fades in steps.
package struct ChangeMark: Equatable, Sendable {
    package enum Step: Int, CaseIterable, Sendable {
        case fresh, fading, faint

        var ground: BackgroundRole {
            switch self {
            case .fresh: .changed
            case .fading: .changedFading
            case .faint: .changedFaint
            }
        }
    }

    /// The changed texts, in columns and lines of the row.
    package var places: [Rectangle]
    package var step: Step

    package init(places: [Rectangle], step: Step = .fresh) {
        self.places = places
        self.step = step
    }
}

extension Scene {
    /// The texts of the visible rows of some items.
    func texts(of items: Set<ItemID>) -> [ItemID: [Block.Run]] {
        guard !items.isEmpty else { return [:] }
        var texts: [ItemID: [Block.Run]] = [:]
        for piece in stack.pieces {
            for frame in piece.block.frames {
                guard let item = frame.id.item, items.contains(item) else { continue }
                texts[item] = piece.block.runs.lazy.filter {
                    $0.style.ink != .line && frame.rectangle.contains(.init(column: $0.column, row: $0.line))
                }.map { run in
                    var run = run
                    run.column -= frame.rectangle.column
                    run.line -= frame.rectangle.row
                    return run
                }
            }
        }
        return texts
    }

    /// The places of the texts of visible rows that differ from the texts of an earlier scene. A text that only moved is equal.
    func changedPlaces(of items: Set<ItemID>, since old: Scene) -> [ItemID: [Rectangle]] {
        let before = old.texts(of: items)
        return texts(of: items).compactMapValues { runs in
            runs.isEmpty ? nil : runs
        }.reduce(into: [:]) { places, row in
            var known = (before[row.key] ?? []).map(\.text)
            let changed = row.value.filter { run in
                guard let index = known.firstIndex(of: run.text) else { return true }
                known.remove(at: index)
                return false
            }
            guard !changed.isEmpty else { return }
            places[row.key] = changed.map { run in
                let width = min(columnCount(of: run.text), run.limit - run.column)
                return Rectangle(column: run.column, row: run.line, width: width, height: 1)
            }
        }
    }
}
