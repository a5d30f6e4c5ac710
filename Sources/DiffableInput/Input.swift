import Diffable

/// The input of `apply` as sections and items.
package enum Input {
    case whole(WholeList)
    /// The items of one section (`--into`).
    case items([Item])

    /// The number of items on all levels.
    package var count: Int {
        switch self {
        case .whole(let list): list.sections.reduce(0) { $0 + counted($1.items) }
        case .items(let items): counted(items)
        }
    }

    private func counted(_ items: [Item]) -> Int {
        items.reduce(items.count) { $0 + ($1.children.isEmpty ? 0 : counted($1.children)) }
    }
}
