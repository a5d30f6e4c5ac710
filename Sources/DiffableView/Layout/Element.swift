/// A part of a list between its top and its end. Each is laid out separately, so a screen costs only its visible parts.
enum Element: Hashable, Sendable {
    case title
    /// A row that is not loaded, by its index in the list.
    case placeholder(Int)
    /// Space, header, a table's titles and the top of a box, by the index of the section.
    case top(Int)
    /// Items side by side, by the index path of the first one. An index path begins with the section.
    case items([Int])
    case more(Int)
    /// The bottom of a box, and the footer.
    case bottom(Int)
    /// What is shown when there are no rows: the list is empty, or nothing matches.
    case empty
}

extension Element {
    func precedes(_ other: Element, in document: Document) -> Bool {
        place(in: document).lexicographicallyPrecedes(other.place(in: document))
    }

    private func place(in document: Document) -> [Int] {
        switch self {
        case .title: [-1]
        case .placeholder(let index): index < document.placeholdersBefore ? [-1, index] : [.max, index]
        case .top(let section): [section, -1]
        case .items(let path): path
        case .more(let section): [section, .max]
        case .bottom(let section): [section, .max, 1]
        case .empty: [.max]
        }
    }
}
