import Diffable

/// Writes a difference as a JSON patch (RFC 6902) on the snapshot's canonical JSON.
///
/// JSON knows no ids: every step names places by index, as they are when its turn comes. So the steps are made from the
/// states in between. Canonical JSON leaves out what says nothing: with the first child comes `children`, and with the
/// last one it goes. A request to draw again is no change of the JSON, and has no step.
package struct JSONPatchWriter {
    /// After the steps that are written.
    private var state: Snapshot
    private var writer = ByteWriter()

    /// `[{"op":…},…]`: what leads from `old` to the state that `difference`, in canonical form, leads to. O(log n) and
    /// the bytes written for each item that is inserted, deleted, moved or changed.
    package static func patch(from old: Snapshot, by difference: [Operation]) -> [UInt8] {
        var patch = JSONPatchWriter(state: old)
        patch.writer.append(byte: UInt8(ascii: "["))
        for operation in difference { patch.write(operation) }
        patch.writer.append(byte: UInt8(ascii: "]"))
        return patch.writer.bytes
    }

    private mutating func write(_ operation: Operation) {
        switch operation {
        case .insertSections(let sections, _):
            apply(operation)
            for section in sections {
                writeAdd(path(of: section.id)) { $0.appendSection(section, expansion: .canonical) }
            }
        case .moveSection(let id, _):
            let place = path(of: id)
            apply(operation)
            writeMove(from: place, to: path(of: id))
        case .deleteSections(let ids, _):
            for id in ids {
                writeRemove(path(of: id))
                apply(.deleteSections([id]))
            }
        case .reloadSections(let reloads):
            for reload in reloads {
                let old = state.section(reload.id)?.content
                if let content = reload.content { replaceContent(old, by: content, at: path(of: reload.id)) }
            }
            apply(operation)
        case .insertItems(let items, _): insert(items, operation)
        case .moveItem(let id, _): move(id, operation)
        case .deleteItems(let ids, _): for id in ids { delete(id) }
        case .reconfigureItems(let changes):
            for change in changes { replace(of: change.id, kind: nil, content: change.content) }
            apply(operation)
        case .reloadItems(let reloads):
            for reload in reloads { replace(of: reload.id, kind: reload.kind, content: reload.content) }
            apply(operation)
        case .expandItems(let ids):
            for id in ids { writeAdd(path(of: id).member("expanded")) { $0.append("true") } }
            apply(operation)
        case .collapseItems(let ids):
            for id in ids { writeRemove(path(of: id).member("expanded")) }
            apply(operation)
        case .appendSections, .appendItems, .deleteAllItems, .patchItems, .replaceChildren:
            preconditionFailure("a difference is in canonical form")
        }
    }

    private mutating func apply(_ operation: Operation) {
        do throws(TransactionError) {
            state = try state.applying([operation], limits: SnapshotLimits(levelsMax: .max, itemsMax: .max))
        } catch {
            preconditionFailure("a difference fits the state that it begins with, but: \(error)")
        }
    }

    // MARK: - Items

    /// Neighbours: each comes after the one before it.
    private mutating func insert(_ items: [Item], _ operation: Operation) {
        apply(operation)
        guard let first = items.first else { return }
        let owner = owner(of: first.id)
        if count(under: owner) == items.count {
            writeAdd(array(of: owner)) { $0.appendItems(items, expansion: .canonical) }
        } else {
            for item in items { writeAdd(path(of: item.id)) { $0.appendItem(item, expansion: .canonical) } }
        }
    }

    private mutating func delete(_ id: ItemID) {
        let owner = owner(of: id)
        writeRemove(count(under: owner) == 1 ? array(of: owner) : path(of: id))
        apply(.deleteItems([id]))
    }

    /// The array that it goes to is made before it, and the one that it leaves empty goes after it.
    private mutating func move(_ id: ItemID, _ operation: Operation) {
        let before = state
        let oldOwner = owner(of: id)
        apply(operation)
        let newOwner = owner(of: id)
        let after = state
        let isFirst = newOwner != oldOwner && count(under: newOwner) == 1
        state = before
        let place = path(of: id)
        if isFirst { writeAdd(array(of: newOwner)) { $0.append("[]") } }
        state = after
        writeMove(from: place, to: path(of: id))
        if newOwner != oldOwner, count(under: oldOwner) == 0 { writeRemove(array(of: oldOwner)) }
    }

    private mutating func replace(of id: ItemID, kind: Kind??, content: Content??) {
        let old = state.item(id)
        let path = path(of: id)
        if let kind {
            if let kind {
                writeAdd(path.member("kind")) { $0.appendString(kind) }
            } else if old?.kind != nil {
                writeRemove(path.member("kind"))
            }
        }
        if let content { replaceContent(old?.content, by: content, at: path) }
    }

    private mutating func replaceContent(_ old: Content?, by content: Content?, at path: Path) {
        if let content {
            writeAdd(path.member("content")) { $0.append(content.bytes) }
        } else if old != nil {
            writeRemove(path.member("content"))
        }
    }

    // MARK: - Places

    /// A JSON pointer.
    private struct Path {
        var text: String

        func member(_ name: StaticString) -> Path { Path(text: "\(text)/\(name)") }
        func element(_ index: Int) -> Path { Path(text: "\(text)/\(index)") }
    }

    /// Whose items or children something is among.
    private enum Owner: Equatable {
        case section(SectionID)
        case item(ItemID)
    }

    private func owner(of id: ItemID) -> Owner {
        if let parent = state.parent(of: id) { return .item(parent) }
        guard let section = state.sectionIdentifier(containingItem: id) else {
            preconditionFailure("an item is in a section")
        }
        return .section(section)
    }

    private func count(under owner: Owner) -> Int {
        switch owner {
        case .section(let id): state.numberOfRootItems(inSection: id) ?? 0
        case .item(let id): state.numberOfChildren(of: id) ?? 0
        }
    }

    private func array(of owner: Owner) -> Path {
        switch owner {
        case .section(let id): path(of: id).member("items")
        case .item(let id): path(of: id).member("children")
        }
    }

    private func path(of id: SectionID) -> Path {
        guard let index = state.index(ofSection: id) else { preconditionFailure("the section is there") }
        return Path(text: "/sections").element(index)
    }

    private func path(of id: ItemID) -> Path {
        guard let indexes = state.indexPath(ofItem: id) else { preconditionFailure("the item is there") }
        var path = Path(text: "/sections").element(indexes[0]).member("items").element(indexes[1])
        for index in indexes[2...] { path = path.member("children").element(index) }
        return path
    }

    // MARK: - Steps

    /// What is there already is replaced: RFC 6902 says so for members of objects.
    private mutating func writeAdd(_ path: Path, _ value: (inout ByteWriter) -> Void) {
        begin("add", path)
        writer.append(#","value":"#)
        value(&writer)
        writer.append(byte: UInt8(ascii: "}"))
    }

    private mutating func writeRemove(_ path: Path) {
        begin("remove", path)
        writer.append(byte: UInt8(ascii: "}"))
    }

    private mutating func writeMove(from: Path, to path: Path) {
        begin("move", path)
        writer.append(#","from":"#)
        writer.appendString(from.text)
        writer.append(byte: UInt8(ascii: "}"))
    }

    private mutating func begin(_ operation: StaticString, _ path: Path) {
        if writer.count > 1 { writer.append(byte: UInt8(ascii: ",")) }
        writer.append(#"{"op":""#)
        writer.append(operation)
        writer.append(#"","path":"#)
        writer.appendString(path.text)
    }
}
