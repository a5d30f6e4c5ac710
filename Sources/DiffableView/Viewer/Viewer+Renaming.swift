import Diffable
import DiffableJSON

// Edits the text of a row in its place. The change is proposed, so that the list's handler can refuse it.

extension Viewer {
    struct RenamedRow: Sendable {
        var item: ItemID
        /// The JSON pointer to the text in the item's content; empty for the content itself.
        var path: String
        var text: String
        var isNumber: Bool
    }

    mutating func beginRenaming() {
        guard ensureActionsAreAllowed(), ensureMayAct(), let item = pane.cursor?.item, let shown = look(of: item)?.text
        else {
            return
        }
        guard let row = renamedRow(item, shown) else {
            return showMessage("The text of this row cannot be typed here; e edits its content")
        }
        beginTyping(.name(row))
    }

    /// Nil if the row shows another text than a value of its content.
    private func renamedRow(_ id: ItemID, _ shown: String) -> RenamedRow? {
        let snapshot = pane.document.snapshot
        guard let item = snapshot.itemAlone(id), let section = snapshot.indexPath(ofItem: id)?[0] else { return nil }
        let content = item.content.map { ContentValue($0) }
        let plan = scene.composer.plan(section)
        var path = pane.document.looks.textPath(ofKind: item.kind) ?? ItemLook.textPath(in: content)
        var shown = shown
        if plan.kind == .table, let first = scene.composer.tableColumns(plan).sources.first, !first.path.isEmpty {
            guard first.path.hasPrefix("/"), first.format == nil else { return nil }
            path = first.path
            shown = content?.value(at: path)?.shortText ?? ""
        }
        let value = path.isEmpty ? content : content?.value(at: path)
        let isNumber = if case .number? = value { true } else { false }
        let isID = value == nil && shown == harmlessText(id.description)
        guard isID || harmlessText(value?.shortText ?? "") == shown else { return nil }
        return RenamedRow(item: id, path: path, text: value?.shortText ?? "", isNumber: isNumber)
    }

    mutating func rename(_ row: RenamedRow, to text: String) {
        guard !text.isEmpty, text != row.text, ensureMayChange() else { return }
        var value = ContentValue.text(text)
        if row.isNumber, let json = try? Content(json: text), case .number(let number) = ContentValue(json) {
            value = .number(number)
        }
        let content = row.path.isEmpty ? value : value.nested(at: row.path)
        let patch = ContentValue.object([.init("id", .text(row.item.description)), .init("content", content)])
        let operation = ContentValue.object([
            .init("op", .text(row.path.isEmpty ? "reconfigureItems" : "patchItems")), .init("items", .array([patch])),
        ])
        _ = send(
            .propose(operations: ContentValue.array([operation]).json), row: .item(row.item), items: [row.item],
            title: "Rename \(subject([row.item]))")
    }
}

extension ContentValue {
    /// The text of a string or a number; nil for anything else.
    fileprivate var shortText: String? {
        switch self {
        case .text(let text), .number(let text): text
        case .null, .boolean, .array, .object: nil
        }
    }
}
