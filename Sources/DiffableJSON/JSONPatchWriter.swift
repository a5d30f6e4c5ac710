import Diffable

/// Writes a diff as a JSON patch (RFC 6902) on the snapshot's canonical JSON, in pieces of limited length.
///
/// A JSON patch has indexes and no ids, and each step refers to the state after the earlier steps. So the writer applies the
/// operations one by one and takes the indexes from the states in between. Canonical JSON has no empty `children`: the first
/// child adds the array and the last one removes it. A reload without new values does not change the JSON, and has no step.
package struct JSONPatchWriter: Sendable {
    private var state: Snapshot
    private let difference: [ListOperation]
    private var operation = 0
    private var element = 0
    /// The value of the current step, which is not closed yet.
    private var value: TreeWriter?
    private var hasStep = false
    private var hasBegun = false
    private var writer = ByteWriter()

    /// The changes from `old` by `difference`, in canonical form. In all, O(log n) and the bytes written for each item that is
    /// inserted, deleted, moved or changed.
    package init(from old: Snapshot, by difference: [ListOperation]) {
        self.state = old
        self.difference = difference
    }

    /// Returns `[{"op":…},…]` in one piece.
    package static func patch(from old: Snapshot, by difference: [ListOperation]) -> [UInt8] {
        var patch = JSONPatchWriter(from: old, by: difference)
        var writer = ByteWriter()
        _ = patch.write(into: &writer, upTo: .max)
        return writer.bytes
    }

    /// Writes at least one element, and continues until the writer holds about `limit` bytes. The concatenated pieces are one
    /// array; `.done` includes its closing bracket.
    package mutating func write(into writer: inout ByteWriter, upTo limit: Int) -> Progress {
        // The storage is moved here and back, so that it is never copied.
        swap(&writer, &self.writer)
        defer { swap(&writer, &self.writer) }
        return write(upTo: limit)
    }

    private mutating func write(upTo limit: Int) -> Progress {
        if !hasBegun { writer.append(byte: UInt8(ascii: "[")) }
        hasBegun = true
        while true {
            if var value {
                let progress = value.write(into: &writer, upTo: limit)
                self.value = progress == .done ? nil : value
                if progress == .more { return .more }
                writer.append(byte: UInt8(ascii: "}"))
            } else if operation == difference.count {
                writer.append(byte: UInt8(ascii: "]"))
                return .done
            } else {
                writeNext(of: difference[operation])
            }
            if writer.count >= limit { return .more }
        }
    }

    private mutating func writeNext(of operation: ListOperation) {
        switch operation {
        case .reconfigureList(let content):
            next(of: [content], thenApplying: operation) { patch, content in
                patch.replaceContent(patch.state.content, by: content, at: Path(text: ""))
            }
        case .insertSections(let sections, _):
            if element == 0 { apply(operation) }
            next(of: sections) { patch, section in patch.beginAdd(patch.path(of: section.id), TreeWriter(section)) }
        case .moveSection(let id, _):
            next(of: [id]) { patch, id in
                let place = patch.path(of: id)
                patch.apply(operation)
                patch.writeMove(from: place, to: patch.path(of: id))
            }
        case .deleteSections(let ids, _):
            next(of: ids) { patch, id in
                patch.writeRemove(patch.path(of: id))
                patch.apply(.deleteSections([id]))
            }
        case .reloadSections(let reloads):
            next(of: reloads, thenApplying: operation) { patch, reload in
                let old = patch.state.sectionAlone(reload.id)?.content
                if let content = reload.content {
                    patch.replaceContent(old, by: content, at: patch.path(of: reload.id))
                }
            }
        case .insertItems(let items, _):
            if element == 0 {
                apply(operation)
                if fillsItsOwner(items) { return insertWhole(items) }
            }
            // Items are added in order, so the index in the final state is right for each.
            next(of: items) { patch, item in patch.beginAdd(patch.path(of: item.id), TreeWriter(item)) }
        case .moveItem(let id, _): next(of: [id]) { patch, id in patch.move(id, operation) }
        case .deleteItems(let ids, _): next(of: ids) { patch, id in patch.delete(id) }
        case .reconfigureItems(let changes):
            next(of: changes, thenApplying: operation) { patch, change in
                patch.replace(of: change.id, kind: nil, content: change.content)
            }
        case .reloadItems(let reloads):
            next(of: reloads, thenApplying: operation) { patch, reload in
                patch.replace(of: reload.id, kind: reload.kind, content: reload.content)
            }
        case .expandItems(let ids):
            next(of: ids, thenApplying: operation) { patch, id in
                patch.writeAdd(patch.path(of: id).member("expanded")) { $0.append("true") }
            }
        case .collapseItems(let ids):
            next(of: ids, thenApplying: operation) { patch, id in
                patch.writeRemove(patch.path(of: id).member("expanded"))
            }
        case .foldItems(let ids):
            next(of: ids, thenApplying: operation) { patch, id in
                patch.writeAdd(patch.path(of: id).member("folded")) { $0.append("true") }
            }
        case .unfoldItems(let ids):
            next(of: ids, thenApplying: operation) { patch, id in
                patch.writeRemove(patch.path(of: id).member("folded"))
            }
        case .patchList, .appendSections, .appendItems, .deleteAllItems, .patchItems, .replaceChildren:
            preconditionFailure("a difference is in canonical form")
        }
    }

    /// Writes the step for the next section or item of the operation. After the last one, applies `changes`, which moves
    /// nothing, and continues with the next operation.
    private mutating func next<Element>(
        of elements: [Element], thenApplying changes: ListOperation? = nil,
        _ write: (inout JSONPatchWriter, Element) -> Void
    ) {
        if element < elements.count { write(&self, elements[element]) }
        element += 1
        guard element >= elements.count else { return }
        if let changes { apply(changes) }
        nextOperation()
    }

    private mutating func nextOperation() {
        operation += 1
        element = 0
    }

    private mutating func apply(_ operation: ListOperation) {
        do throws(TransactionError) {
            state = try state.applying([operation], limits: SnapshotLimits(levelsMax: .max, itemsMax: .max))
        } catch {
            preconditionFailure("a difference fits the state that it begins with, but: \(error)")
        }
    }

    // MARK: - Items

    /// Whether the array consists of these inserted items only.
    private func fillsItsOwner(_ items: [Item]) -> Bool {
        items.first.map { count(under: owner(of: $0.id)) == items.count } ?? false
    }

    private mutating func insertWhole(_ items: [Item]) {
        beginAdd(array(of: owner(of: items[0].id)), TreeWriter(items))
        nextOperation()
    }

    private mutating func delete(_ id: ItemID) {
        let owner = owner(of: id)
        writeRemove(count(under: owner) == 1 ? array(of: owner) : path(of: id))
        apply(.deleteItems([id]))
    }

    /// Adds the target array before the move, and removes the source array after it if it is empty then.
    private mutating func move(_ id: ItemID, _ operation: ListOperation) {
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
        let newPlace = path(of: id)
        if newPlace.isBelow(place), let item = state.subtree(of: id)?.first {
            // The target is below the next sibling, which takes over the index. RFC 6902 forbids such a move (4.4). That
            // sibling stays, so the source array is not empty.
            writeRemove(place)
            return beginAdd(newPlace, TreeWriter(item))
        }
        writeMove(from: place, to: newPlace)
        if newOwner != oldOwner, count(under: oldOwner) == 0 { writeRemove(array(of: oldOwner)) }
    }

    private mutating func replace(of id: ItemID, kind: Kind??, content: Content??) {
        let old = state.itemAlone(id)
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

    private struct Path {
        var text: String

        func member(_ name: StaticString) -> Path { Path(text: "\(text)/\(name)") }
        func isBelow(_ other: Path) -> Bool { text.utf8.starts(with: "\(other.text)/".utf8) }
        func element(_ index: Int) -> Path { Path(text: "\(text)/\(index)") }
    }

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

    private mutating func beginAdd(_ path: Path, _ value: TreeWriter) {
        begin("add", path)
        writer.append(#","value":"#)
        self.value = value
    }

    /// An existing member is replaced (RFC 6902, 4.1).
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
        if hasStep { writer.append(byte: UInt8(ascii: ",")) }
        hasStep = true
        writer.append(#"{"op":""#)
        writer.append(operation)
        writer.append(#"","path":"#)
        writer.appendString(path.text)
    }
}
