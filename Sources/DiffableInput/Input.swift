import Diffable

package enum Input {
    case whole(WholeList)
    case items([Item])

    package var count: Int {
        switch self {
        case .whole(let list): list.sections.reduce(0) { $0 + counted($1.items) }
        case .items(let items): counted(items)
        }
    }

    /// Names the first item whose content exceeds `max`, the daemon's `contentLengthMax`; nil if there is none. The row's
    /// number is known only if the items are in the order of the rows.
    package func longItem(contentLengthMax max: Int) -> String? {
        let (items, isInOrder) =
            switch self {
            case .whole(let list): (list.sections.flatMap(\.items), list.sections.count == 1)
            case .items(let items): (items, true)
            }
        let hasLevels = items.contains { !$0.children.isEmpty }
        var number = 0
        func first(_ items: [Item]) -> String? {
            for item in items {
                number += 1
                let length = item.record.contentLength
                if length > max {
                    let name = quoted(item.id)
                    return (isInOrder && !hasLevels ? "row \(number) (\(name))" : "the row \(name)")
                        + " is too long: \(grouped(length)) bytes as JSON, and the daemon takes \(grouped(max)) "
                        + "(contentLengthMax)"
                }
                if let problem = first(item.children) { return problem }
            }
            return nil
        }
        return first(items)
    }

    /// Bytes of the contents of all items.
    package var contentsLength: Int {
        switch self {
        case .whole(let list): list.sections.reduce(0) { $0 + length($1.items) }
        case .items(let items): length(items)
        }
    }

    private func length(_ items: [Item]) -> Int {
        items.reduce(0) { $0 + $1.record.contentLength + length($1.children) }
    }

    private func counted(_ items: [Item]) -> Int {
        items.reduce(items.count) { $0 + ($1.children.isEmpty ? 0 : counted($1.children)) }
    }
}
