import Diffable
import DiffableJSON

// Cutting and pasting rows: within their list they move, into another visible list they are copied.

extension Viewer {
    struct CutRows: Sendable {
        var list: ListName
        /// In the list's order. Descendants are included.
        var copies: [Item]
        /// Whether a copy lacks children that are not loaded.
        var isFolded: Bool

        var items: [ItemID] { copies.map(\.id) }

        init(_ copies: [Item], of pane: Pane) {
            self.copies = copies
            list = pane.name
            isFolded = copies.contains { $0.children.isEmpty && pane.document.knownParents.contains($0.id) }
        }
    }

    /// Cuts the marked rows, or the one under the cursor. This changes nothing yet.
    mutating func cutRows() {
        guard ensureActionsAreAllowed(), ensureMayAct(), let item = pane.cursor?.item else { return }
        let snapshot = pane.document.snapshot
        let chosen = pane.marks.isEmpty ? [item] : pane.orderedMarks
        let items = chosen.filter { !snapshot.hasAncestor(of: $0, in: Set(chosen)) }
        let copies = items.compactMap { snapshot.subtree(of: $0)?.first }
        guard copies.count == items.count else {
            return showMessage(
                "Some marked rows are too far from the screen, so no row was taken: scroll near them, or mark fewer rows that are "
                    + "closer together",
                for: .seconds(8))
        }
        clipboard = CutRows(copies, of: pane)
        pane.marks.subtract(chosen)
        showMessage(
            "\(subject(items)): ^V puts \(items.count == 1 ? "it" : "them") after the selected row",
            for: .seconds(8))
    }

    /// Pastes the rows after the row under the cursor.
    mutating func pasteRows() {
        guard ensureActionsAreAllowed() else { return }
        guard let cut = clipboard else {
            return showMessage("Nothing to put here: take the selected row or the marked rows with ^X first")
        }
        guard ensureMayAct(), let anchor = pane.cursor?.item else { return }
        if cut.list == pane.name { moveCutRows(cut, after: anchor) } else { copyCutRows(cut, after: anchor) }
    }

    private mutating func moveCutRows(_ cut: CutRows, after anchor: ItemID) {
        guard ensureMayMove(cut.items, beside: anchor) else { return }
        let operations = zip(cut.items, [anchor] + cut.items).map { item, before in
            ContentValue.object([
                .init("op", .text("moveItem")), .init("item", .text(item.description)),
                .init("after", .text(before.description)),
            ])
        }
        clipboard = nil
        _ = send(
            .propose(operations: ContentValue.array(operations).json), row: .item(anchor), items: [],
            title: "Move \(subject(cut.items))")
    }

    /// Another list gets the items as they were. An item without loaded children may have folded ones.
    mutating func copyCutRows(_ cut: CutRows, after anchor: ItemID) {
        guard !cut.isFolded else {
            return showMessage(
                "A collapsed row cannot be copied, so nothing was copied: expand it in \(cut.list), take it again "
                    + "with ^X, and press ^V here",
                for: .seconds(8))
        }
        let here = pane.document.snapshot
        if let known = cut.copies.lazy.flatMap(\.idsWithDescendants).first(where: here.contains) {
            return showMessage(
                "\(pane.title) already has an item \(harmlessText(known.description)): nothing was copied")
        }
        var writer = OperationsWriter([.insertItems(cut.copies, at: .after(anchor))])
        var bytes = ByteWriter()
        guard case .done = writer.write(into: &bytes, upTo: Self.copiedLengthMax) else {
            return showMessage(
                cut.copies.count == 1
                    ? "This row with its children is too long for one request, so nothing was copied: take its children with ^X, a "
                        + "few at a time, and press ^V here"
                    : "These rows are too long for one request, so nothing was copied: take fewer rows with ^X, and press ^V here",
                for: .seconds(8))
        }
        _ = send(
            .transact(operations: "[\(String(decoding: bytes.bytes, as: UTF8.self))]"), row: .item(anchor), items: [],
            title:
                "Copy \(cut.items.count == 1 ? "a row" : "\(cut.items.count) rows") from \(cut.list)")
    }

    /// Bytes. A request is limited to a megabyte.
    private static let copiedLengthMax = 900_000
}

extension Snapshot {
    func hasAncestor(of item: ItemID, in items: Set<ItemID>) -> Bool {
        var parent = parent(of: item)
        while let id = parent {
            if items.contains(id) { return true }
            parent = self.parent(of: id)
        }
        return false
    }
}

extension Item {
    fileprivate var idsWithDescendants: [ItemID] { [id] + children.flatMap(\.idsWithDescendants) }
}
