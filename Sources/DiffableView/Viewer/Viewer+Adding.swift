import Diffable
import DiffableJSON

// Adds an item after its text was typed. It is proposed, so that the list's handler can refuse it.

extension Viewer {
    struct NewItemPosition: Sendable {
        /// Nil if the list has no items.
        var section: SectionID?
        /// Nil: at the front of its section.
        var predecessor: ItemID?
        /// The kind of the item before it, so that the new item looks and behaves in the same way.
        var kind: Kind?
        /// The row below which the text is typed, and its level in an outline.
        var row: RowID
        var level = 0
        /// The JSON pointer to the text in the content with which its row begins.
        var textPath = "/text"
        /// The other members of the new item's content.
        var content: ContentValue?
    }

    mutating func beginAdding() {
        // If it does not, the keys that follow are not meant for the rows.
        ignoredKeysEnd = now + Self.ignoredKeysDuration
        guard ensureActionsAreAllowed(), ensureMayChange(), ensureCursorIsVisible(), var place = positionOfNewItem
        else { return }
        guard let look = sectionLook(of: place), look.canInsert else {
            return showMessage("No rows can be added here: set canInsert in the list's content or --look")
        }
        ignoredKeysEnd = nil
        if let kind = look.template?["kind"]?.text { place.kind = try? Kind(kind) }
        place.content = look.template?["content"]
        place.textPath = textPath(of: place)
        beginTyping(.item(place))
    }

    /// Ignores the keys of a text after a refused start, each soon after the one before, up to Enter. Returns whether the key
    /// was ignored.
    mutating func ignoreStrayKey(_ key: KeyPress) -> Bool {
        guard let end = ignoredKeysEnd, now < end, key.modifiers.isSubset(of: .shift) else { return false }
        switch key.key {
        case .character, .backspace: ignoredKeysEnd = now + Self.ignoredKeysDuration
        case .enter: ignoredKeysEnd = nil
        default: return false
        }
        return true
    }

    private static let ignoredKeysDuration = Duration.milliseconds(700)

    /// The first column of a table, otherwise the path of the kind's text.
    private func textPath(of place: NewItemPosition) -> String {
        let standard = pane.document.looks.textPath(ofKind: place.kind) ?? "/text"
        guard let section = place.section, let index = pane.document.snapshot.index(ofSection: section) else {
            return standard
        }
        let plan = scene.composer.plan(index)
        guard plan.kind == .table, let first = scene.composer.tableColumns(plan).firstPath, first.hasPrefix("/") else {
            return standard
        }
        return first
    }

    private var positionOfNewItem: NewItemPosition? {
        let snapshot = pane.document.snapshot
        switch pane.cursor {
        case .item(let item)?:
            return NewItemPosition(
                section: snapshot.sectionIdentifier(containingItem: item), predecessor: item,
                kind: snapshot.itemAlone(item)?.kind, row: .item(scene.composer.lastOpen(under: item)),
                level: (snapshot.indexPath(ofItem: item)?.count ?? 2) - 2)
        case .header(let section)?: return NewItemPosition(section: section, row: .header(section))
        case .more(let section)?:
            let last = snapshot.rootItems(inSection: section)?.last
            return NewItemPosition(
                section: section, predecessor: last, kind: last.flatMap(snapshot.item)?.kind,
                row: last.map { .item(scene.composer.lastOpen(under: $0)) } ?? .header(section))
        case .empty?: return NewItemPosition(row: .empty)
        case .title?, .footer?, .placeholder?, nil: return nil
        }
    }

    private func sectionLook(of place: NewItemPosition) -> SectionLook? {
        guard let section = place.section else { return pane.document.looks.sectionLook(nil) }
        return pane.document.snapshot.index(ofSection: section).map { scene.composer.plan($0).look }
    }

    mutating func add(_ text: String, at place: NewItemPosition) {
        guard !text.isEmpty, ensureMayChange() else { return }
        let id = options.newID()
        var item: [ContentValue.Member] = [.init("id", .text(id.description))]
        if let kind = place.kind { item.append(.init("kind", .text(kind.description))) }
        item.append(.init("content", ContentValue.text(text).nested(at: place.textPath, in: place.content)))
        var operation: [ContentValue.Member] = []
        // Others may have deleted the row before it while the text was typed.
        let newest = pane.waitingState?.snapshot ?? pane.document.snapshot
        if let predecessor = place.predecessor, newest.contains(predecessor) {
            operation = [.init("op", .text("insertItems")), .init("after", .text(predecessor.description))]
        } else if let section = place.section, newest.index(ofSection: section) != nil {
            operation = [
                .init("op", .text("insertItems")), .init("section", .text(section.description)), .init("after", .null),
            ]
        } else {
            operation = [.init("op", .text("appendItems"))]
        }
        operation.append(.init("items", .array([.object(item)])))
        let request = send(
            .propose(operations: ContentValue.array([.object(operation)]).json), row: nil, items: [],
            title: "Add “\(fitted(harmlessText(text), columns: 60))”")
        pane.pendingAddition = Pane.PendingAddition(request: request, item: id)
    }

    /// Moves the cursor to the added item, so that the next one follows it.
    mutating func showAdded(_ request: Int, list: Int) {
        guard let addition = panes[list].pendingAddition, addition.request == request else { return }
        panes[list].pendingAddition = nil
        if list == selected, case .rows = mode, scene.drawnRow(of: addition.item) == .item(addition.item) {
            go(to: .item(addition.item))
        }
    }
}

extension ContentValue {
    /// An object in which a pointer (RFC 6901) leads to this value, with the other members of a template.
    func nested(at pointer: String, in template: ContentValue? = nil) -> ContentValue {
        nested(at: pointer.split(separator: "/", omittingEmptySubsequences: false).dropFirst(), in: template)
    }

    private func nested(at names: ArraySlice<Substring>, in template: ContentValue?) -> ContentValue {
        guard let first = names.first else { return self }
        let name = unescaped(first)
        let value = nested(at: names.dropFirst(), in: template?[name])
        guard case .object(let members)? = template else { return .object([Member(name, value)]) }
        return .object(members.filter { $0.name != name } + [Member(name, value)])
    }

    private func unescaped(_ name: Substring) -> String {
        var text = ""
        var isEscape = false
        for character in name {
            if isEscape {
                text.append(character == "0" ? "~" : "/")
            } else if character != "~" {
                text.append(character)
            }
            isEscape = !isEscape && character == "~"
        }
        return text
    }
}
