/// An item in a program without a diffable snapshot.
struct PlainItem {
    var id: String
    var content: String
}

/// The diff of two flat lists by P. Heckel's algorithm ("A technique for isolating differences between files", 1978), over a
/// dictionary from ids to symbols, as in most libraries for table and collection views.
///
/// A simple implementation in six passes, with everything that a user needs: insertions, deletions, moves and changes. Ids are
/// distinct. Moves are not minimal: every item moves that earlier insertions and deletions leave at another place.
struct HeckelDifference {
    /// Indices in the new list.
    private(set) var insertions: [Int] = []
    /// Indices in the old list.
    private(set) var deletions: [Int] = []
    private(set) var moves: [(from: Int, to: Int)] = []
    /// Indices in the new list.
    private(set) var changes: [Int] = []

    /// The counterparts of an id in both lists.
    private final class Symbol {
        var isInNew = false
        var oldIndex: Int?
    }

    /// An element refers to its symbol, or to its counterpart once that is known.
    private enum Reference {
        case symbol(Symbol)
        case index(Int)
    }

    init(from old: [PlainItem], to new: [PlainItem]) {
        var symbols: [String: Symbol] = [:]
        symbols.reserveCapacity(max(old.count, new.count))
        var newReferences: [Reference] = []
        newReferences.reserveCapacity(new.count)
        var oldReferences: [Reference] = []
        oldReferences.reserveCapacity(old.count)

        // Pass 1: the new list.
        for item in new {
            let symbol = Self.symbol(of: item.id, in: &symbols)
            symbol.isInNew = true
            newReferences.append(.symbol(symbol))
        }
        // Pass 2: the old list.
        for (index, item) in old.enumerated() {
            let symbol = Self.symbol(of: item.id, in: &symbols)
            symbol.oldIndex = index
            oldReferences.append(.symbol(symbol))
        }
        // Pass 3: common elements refer to their counterparts.
        for index in new.indices {
            guard case .symbol(let symbol) = newReferences[index], symbol.isInNew, let oldIndex = symbol.oldIndex
            else { continue }
            newReferences[index] = .index(oldIndex)
            oldReferences[oldIndex] = .index(index)
        }
        // Passes 4 and 5 would join equal neighbours that are not unique, but ids are unique. Pass 6: the steps.
        var deletedBefore: [Int] = []
        deletedBefore.reserveCapacity(old.count)
        for index in old.indices {
            deletedBefore.append(deletions.count)
            if case .symbol = oldReferences[index] { deletions.append(index) }
        }
        for index in new.indices {
            switch newReferences[index] {
            case .symbol: insertions.append(index)
            case .index(let oldIndex):
                if old[oldIndex].content != new[index].content { changes.append(index) }
                if oldIndex - deletedBefore[oldIndex] + insertions.count != index {
                    moves.append((from: oldIndex, to: index))
                }
            }
        }
    }

    private static func symbol(of id: String, in symbols: inout [String: Symbol]) -> Symbol {
        if let symbol = symbols[id] { return symbol }
        let symbol = Symbol()
        symbols[id] = symbol
        return symbol
    }
}
