import Diffable
import HashTreeCollections

/// The items' content as values of a program's type.
enum ItemContents<Value: Sendable>: Sendable {
    /// Read from the item whenever it is asked for.
    case asIs(@Sendable (Content?) -> Value)
    /// Decoded once, when the item comes or looks different.
    case decoded(DecodedContents<Value>)

    /// The same for a list without items.
    var empty: ItemContents {
        switch self {
        case .asIs: self
        case .decoded(let contents): .decoded(DecodedContents(by: contents.decoding, contents.undecodable))
        }
    }

    /// The items that cannot be shown.
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

    /// - Parameter difference: in canonical form.
    func applying(
        _ difference: [ListOperation], from old: Snapshot, to new: Snapshot, of list: ListName
    ) throws(ClientError) -> ItemContents {
        guard case .decoded(let contents) = self else { return self }
        var decoder = ContentDecoder(list: list, contents: contents, old: old, new: new)
        for operation in difference { try decoder.add(operation) }
        return .decoded(decoder.contents)
    }
}

/// A value in a box, so that the dictionary of them is of one type whatever the values are: one that is made for each type is
/// looked up by its type at each step, which costs more than decoding an item does.
/// It may be read anywhere, because there are only `DecodedValue`s of it, which never change.
class DecodedBox: @unchecked Sendable {}

private final class DecodedValue<Value: Sendable>: DecodedBox, @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}

/// What was made of each item. The collections are persistent: old states share them.
struct DecodedContents<Value: Sendable>: Sendable {
    let decoding: @Sendable (Item) throws -> Value
    let undecodable: UndecodableItems
    /// Each a `DecodedValue<Value>`.
    var values: TreeDictionary<ItemID, DecodedBox> = [:]
    /// Those that could not be decoded.
    var skipped: TreeSet<ItemID> = []

    init(by decoding: @escaping @Sendable (Item) throws -> Value, _ undecodable: UndecodableItems) {
        self.decoding = decoding
        self.undecodable = undecodable
    }
}

/// Follows a difference, and decodes what came with it.
private struct ContentDecoder<Value: Sendable> {
    let list: ListName
    var contents: DecodedContents<Value>
    let old: Snapshot
    let new: Snapshot

    mutating func add(_ operation: ListOperation) throws(ClientError) {
        switch operation {
        case .insertSections(let sections, _): for section in sections { try add(section.items) }
        case .insertItems(let items, _): try add(items)
        case .reconfigureItems(let items): for item in items where item.content != nil { try renew(item.id) }
        case .reloadItems(let items): for item in items { try renew(item.id) }
        case .deleteSections(let ids, _): for id in ids { remove(old.itemIdentifiers(inSection: id) ?? []) }
        case .deleteItems(let ids, _): for id in ids { remove(old.subtree(of: id) ?? []) }
        case .reconfigureList, .moveSection, .moveItem, .reloadSections, .expandItems, .collapseItems: break
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

    private mutating func renew(_ id: ItemID) throws(ClientError) {
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

    /// What was moved out of what is deleted stays.
    private mutating func remove(_ ids: [ItemID]) {
        for id in ids where !new.contains(id) {
            contents.values[id] = nil
            contents.skipped.remove(id)
        }
    }
}
