import Diffable
import HashTreeCollections

enum ItemContents<Value: Sendable>: Sendable {
    /// Computed from the item on each access.
    case asIs(@Sendable (Content?) -> Value)
    /// Decoded once, when the item is inserted or changed.
    case decoded(DecodedContents<Value>)

    var empty: ItemContents {
        switch self {
        case .asIs: self
        case .decoded(let contents): .decoded(DecodedContents(by: contents.decoding, contents.undecodable))
        }
    }

    var skipped: TreeSet<ItemID> {
        if case .decoded(let contents) = self { contents.skipped } else { [] }
    }

    func value(of item: Item) -> Value {
        switch self {
        case .asIs(let read): return read(item.content)
        case .decoded(let contents):
            guard let value = contents.values[item.id] else {
                preconditionFailure("every item of a list that is shown was decoded")
            }
            return unsafeDowncast(value, to: DecodedValue<Value>.self).value
        }
    }

    /// `difference` is in canonical form.
    func applying(
        _ difference: [ListOperation], from old: Snapshot, to new: Snapshot, of list: ListName
    ) throws(ClientError) -> ItemContents {
        guard case .decoded(let contents) = self else { return self }
        var decoder = ContentDecoder(list: list, contents: contents, old: old, new: new)
        for operation in difference { try decoder.add(operation) }
        return .decoded(decoder.contents)
    }
}

/// A boxed value, so that one dictionary type serves all value types: a dictionary that is specialised at run time looks up its
/// type at each step, which costs more than decoding an item. It can be shared, because its only subclass `DecodedValue` is
/// immutable.
class DecodedBox: @unchecked Sendable {}

// Immutable, because only `init` sets its value.
private final class DecodedValue<Value: Sendable>: DecodedBox, @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}

/// The decoded value of each item. The collections are persistent: old states share them.
struct DecodedContents<Value: Sendable>: Sendable {
    let decoding: @Sendable (Item) throws -> Value
    let undecodable: UndecodableItems
    /// Each is a `DecodedValue<Value>`.
    var values: TreeDictionary<ItemID, DecodedBox> = [:]
    var skipped: TreeSet<ItemID> = []

    init(by decoding: @escaping @Sendable (Item) throws -> Value, _ undecodable: UndecodableItems) {
        self.decoding = decoding
        self.undecodable = undecodable
    }
}

private struct ContentDecoder<Value: Sendable> {
    let list: ListName
    var contents: DecodedContents<Value>
    let old: Snapshot
    let new: Snapshot

    mutating func add(_ operation: ListOperation) throws(ClientError) {
        switch operation {
        case .insertSections(let sections, _): for section in sections { try add(section.items) }
        case .insertItems(let items, _): try add(items)
        case .reconfigureItems(let items): for item in items where item.content != nil { try decodeAgain(item.id) }
        case .reloadItems(let items): for item in items { try decodeAgain(item.id) }
        case .deleteSections(let ids, _): for id in ids { remove(old.itemIdentifiers(inSection: id) ?? []) }
        case .deleteItems(let ids, _): for id in ids { remove(old.subtree(of: id) ?? []) }
        case .reconfigureList, .moveSection, .moveItem, .reloadSections, .expandItems, .collapseItems, .foldItems,
            .unfoldItems:
            break
        case .patchList, .appendSections, .appendItems, .deleteAllItems, .patchItems, .replaceChildren:
            preconditionFailure("a difference is in canonical form")
        }
    }

    private mutating func add(_ items: [Item]) throws(ClientError) {
        for item in items {
            try decode(item)
            try add(item.children)
        }
    }

    private mutating func decodeAgain(_ id: ItemID) throws(ClientError) {
        if let item = new.itemAlone(id) { try decode(item) }
    }

    private mutating func decode(_ item: Item) throws(ClientError) {
        var item = item
        item.children = []
        do {
            contents.values[item.id] = DecodedValue(try contents.decoding(item))
            if !contents.skipped.isEmpty { contents.skipped.remove(item.id) }
        } catch {
            let content = UndecodableContent(of: item.id, in: list, as: Value.self, error)
            guard case .skip(let report) = contents.undecodable else { throw .undecodable(content) }
            contents.values[item.id] = nil
            contents.skipped.insert(item.id)
            report(content)
        }
    }

    private mutating func remove(_ items: [Item]) {
        for item in items {
            remove([item.id])
            remove(item.children)
        }
    }

    /// Items that were moved out of a deleted one stay.
    private mutating func remove(_ ids: [ItemID]) {
        for id in ids where !new.contains(id) {
            contents.values[id] = nil
            contents.skipped.remove(id)
        }
    }
}
