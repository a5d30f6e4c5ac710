import Diffable

/// A duplicate id in the state of an `apply`, with both places, such as `sections[0].items[3].children[1]`.
package struct Repetition: Error, Sendable, Equatable {
    package let item: ItemID
    package let first: String
    package let second: String

    package init(item: ItemID, first: String, second: String) {
        self.item = item
        self.first = first
        self.second = second
    }
}

extension Target {
    /// The first two places of an item. Nil if it is unique, or if operations build the state.
    func repetition(of item: ItemID) -> Repetition? {
        var places: [String] = []
        switch self {
        case .whole(let list):
            for (index, section) in list.sections.enumerated() {
                section.items.collectPlaces(of: item, path: "sections[\(index)].items", &places)
            }
        case .section(_, let items): items.collectPlaces(of: item, path: "snapshot", &places)
        case .operations: return nil
        }
        return places.count < 2 ? nil : Repetition(item: item, first: places[0], second: places[1])
    }
}

extension [Item] {
    fileprivate func collectPlaces(of id: ItemID, path: String, _ places: inout [String]) {
        for (index, item) in enumerated() {
            if item.id == id { places.append("\(path)[\(index)]") }
            if !item.children.isEmpty {
                item.children.collectPlaces(of: id, path: "\(path)[\(index)].children", &places)
            }
        }
    }
}
