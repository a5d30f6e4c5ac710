import Diffable
import DiffableJSON

// Rows that are taken and put elsewhere: within their list they move, into another one that is shown they are copied.

extension Viewer {
    struct TakenRows: Sendable {
        var list: Int
        /// In the list's order. What is under one of them goes with it.
        var items: [ItemID]
        /// As they were when they were taken.
        var copies: [Item]
    }

    /// Takes the marked rows, or the one under the cursor. Nothing is changed by it.
    mutating func takeRows() {
        guard mayOffer(), mayAct(), let item = pane.cursor?.item else { return }
        let snapshot = pane.document.snapshot
        let chosen = pane.marks.isEmpty ? [item] : pane.orderedMarks
        let items = chosen.filter { !snapshot.hasAncestor(of: $0, in: Set(chosen)) }
        let copies = items.compactMap { snapshot.subtree(of: $0)?.first }
        guard copies.count == items.count else {
            return say("Some of the marked rows are not held here: nothing was taken")
        }
        taken = TakenRows(list: selected, items: items, copies: copies)
        pane.marks.subtract(chosen)
        say(
            "\(subject(items)): ^V puts \(items.count == 1 ? "it" : "them") behind the row under the cursor",
            for: .seconds(8))
    }

    /// Puts what was taken behind the row under the cursor.
    mutating func putRows() {
        guard mayOffer() else { return }
        guard let taken else { return say("Nothing was taken; ^X takes the row under the cursor, or all marked ones") }
        guard mayAct(), let anchor = pane.cursor?.item else { return }
        if taken.list == selected { moveTaken(taken, behind: anchor) } else { copyTaken(taken, behind: anchor) }
    }

    private mutating func moveTaken(_ taken: TakenRows, behind anchor: ItemID) {
        guard mayMove(taken.items, beside: anchor) else { return }
        let operations = zip(taken.items, [anchor] + taken.items).map { item, before in
            ContentValue.object([
                .init("op", .text("moveItem")), .init("item", .text(item.description)),
                .init("after", .text(before.description)),
            ])
        }
        self.taken = nil
        _ = send(
            .propose(operations: ContentValue.array(operations).json), row: .item(anchor), items: [],
            title: "Move \(subject(taken.items))")
    }

    /// Another list has them as they were. What has no children here may have some that are folded away.
    mutating func copyTaken(_ taken: TakenRows, behind anchor: ItemID) {
        let source = panes[taken.list].document
        guard !taken.copies.contains(where: { $0.children.isEmpty && source.knownParents.contains($0.id) }) else {
            return say("What is folded away cannot be copied: expand it first")
        }
        let here = pane.document.snapshot
        if let known = taken.copies.lazy.flatMap(\.idsWithDescendants).first(where: here.contains) {
            return say("\(pane.title) has an item \(harmlessText(known.description)) already: nothing was copied")
        }
        var writer = OperationsWriter([.insertItems(taken.copies, at: .after(anchor))])
        var bytes = ByteWriter()
        guard case .done = writer.write(into: &bytes, upTo: Self.copiedLengthMax) else {
            return say("That is too much to copy: nothing was done")
        }
        _ = send(
            .transact(operations: "[\(String(decoding: bytes.bytes, as: UTF8.self))]"), row: .item(anchor), items: [],
            title:
                "Copy \(taken.items.count == 1 ? "a row" : "\(taken.items.count) rows") from \(panes[taken.list].name)")
    }

    /// In bytes. A request has at most a megabyte.
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
