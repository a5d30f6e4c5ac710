import Diffable

/// What `apply` was given, read and arranged.
enum Input {
    case sections([Section])
    /// The items of one section (`--into`).
    case items([Item])

    /// How many items there are, at all depths.
    var count: Int {
        switch self {
        case .sections(let sections): sections.reduce(0) { $0 + counted($1.items) }
        case .items(let items): counted(items)
        }
    }

    private func counted(_ items: [Item]) -> Int {
        items.reduce(items.count) { $0 + ($1.children.isEmpty ? 0 : counted($1.children)) }
    }
}
