import Diffable
import HashTreeCollections

/// The items' content as values of a program's type.
enum ItemContents<Value: Sendable>: Sendable {
    /// Read from the item whenever it is asked for.
    case asIs(@Sendable (Content?) -> Value)
    /// Decoded once, when the item comes or looks different. The dictionary is persistent: old states share it.
    case decoded(by: @Sendable (Item) throws -> Value, TreeDictionary<ItemID, Value> = [:])

    /// The same for a list without items.
    var empty: ItemContents {
        switch self {
        case .asIs: self
        case .decoded(let decoding, _): .decoded(by: decoding)
        }
    }

    func value(of item: Item) -> Value {
        switch self {
        case .asIs(let read): return read(item.content)
        case .decoded(_, let values):
            guard let value = values[item.id] else { preconditionFailure("every item of a list was decoded") }
            return value
        }
    }

    /// - Parameter difference: in canonical form.
    func applying(
        _ difference: [Operation], from old: Snapshot, to new: Snapshot, of list: ListName
    ) throws(ClientError) -> ItemContents {
        guard case .decoded(let decoding, let values) = self else { return self }
        var decoder = ContentDecoder(list: list, decoding: decoding, values: values, old: old, new: new)
        for operation in difference { try decoder.add(operation) }
        return .decoded(by: decoding, decoder.values)
    }
}

/// Follows a difference, and decodes what came with it.
private struct ContentDecoder<Value: Sendable> {
    let list: ListName
    let decoding: @Sendable (Item) throws -> Value
    var values: TreeDictionary<ItemID, Value>
    let old: Snapshot
    let new: Snapshot

    mutating func add(_ operation: Operation) throws(ClientError) {
        switch operation {
        case .insertSections(let sections, _): for section in sections { try add(section.items) }
        case .insertItems(let items, _): try add(items)
        case .reconfigureItems(let items): for item in items where item.content != nil { try renew(item.id) }
        case .reloadItems(let items): for item in items { try renew(item.id) }
        case .deleteSections(let ids, _): for id in ids { remove(old.itemIdentifiers(inSection: id) ?? []) }
        case .deleteItems(let ids, _): for id in ids { remove(old.subtree(of: id) ?? []) }
        case .moveSection, .moveItem, .reloadSections, .expandItems, .collapseItems: break
        case .appendSections, .appendItems, .deleteAllItems, .patchItems, .replaceChildren:
            preconditionFailure("a difference is in canonical form")
        }
    }

    private mutating func add(_ items: [Item]) throws(ClientError) {
        for item in items {
            try decode(item)
            try add(item.children)
        }
    }

    private mutating func renew(_ id: ItemID) throws(ClientError) {
        if let item = new.item(id) { try decode(item) }
    }

    private mutating func decode(_ item: Item) throws(ClientError) {
        var item = item
        item.children = []
        do { values[item.id] = try decoding(item) } catch {
            throw .undecodable(UndecodableContent(of: item.id, in: list, as: Value.self, error))
        }
    }

    private mutating func remove(_ items: [Item]) {
        for item in items {
            remove([item.id])
            remove(item.children)
        }
    }

    /// What was moved out of what is deleted stays.
    private mutating func remove(_ ids: [ItemID]) {
        for id in ids where !new.contains(id) { values[id] = nil }
    }
}
