import Diffable
import DiffableJSON

// Actions on rows. They use the ids that were drawn, now or not at all.

extension Viewer {
    func actions(of item: ItemID) -> [Action] { look(of: item)?.allActions ?? [] }

    private func actions(of row: RowID) -> [Action] {
        switch row {
        case .item(let item): actions(of: item)
        case .header: scene.frame(of: row)?.look?.actions ?? []
        case .empty: scene.frame(of: row)?.look?.actions ?? []
        case .title, .more, .footer, .placeholder: []
        }
    }

    func targets(of action: Action) -> [ItemID] {
        guard let item = pane.cursor?.item else { return [] }
        return action.takesSeveral && !pane.marks.isEmpty ? pane.orderedMarks : [item]
    }

    mutating func performPrimaryAction() {
        if case .range = mode { endRange(keepingMarks: true) }
        if options.picking != .none { return pick() }
        if pane.isHome {
            if ensureCursorHasNotMoved(), let item = pane.cursor?.item { openList(of: item) }
            return
        }
        guard ensureCursorIsVisible(), let cursor = pane.cursor else { return }
        if let item = cursor.item, !isEnabled(item), !isExpandable(item) { return showDisabledMessage(item) }
        if case .more(let section) = cursor {
            guard ensureMayAct(), !pane.requests.values.contains(where: { $0.row == cursor }) else { return }
            _ = send(
                .perform(action: "more", items: [], section: section, arguments: nil), row: cursor, items: [],
                title: "More rows")
            return
        }
        let actions = actions(of: cursor)
        if let primary = actions.first(where: { $0.style == .primary }), cursor.item.map(isEnabled) ?? true {
            perform(primary)
        } else if let item = cursor.item, toggle(of: item) != nil {
            check(item)
        } else if let item = cursor.item, list(of: item) != nil {
            if ensureCursorHasNotMoved() { openList(of: item) }
        } else if let item = cursor.item, isExpandable(item) {
            toggle(item)
        } else if !actions.isEmpty {
            openMenu()
        } else {
            showMessage("Enter does nothing here; ? shows the keys")
        }
    }

    func toggle(of item: ItemID) -> String? { options.picking == .none ? look(of: item)?.toggle : nil }

    /// Switches the value at the row's `toggle`. The list's handler can refuse it.
    mutating func check(_ item: ItemID) {
        guard isEnabled(item) else { return showDisabledMessage(item) }
        guard ensureMayAct(), let look = look(of: item), let toggle = look.toggle else { return }
        let isChecked = look.checkbox == .checked
        let patch = ContentValue.object([
            .init("id", .text(item.description)),
            .init("content", ContentValue.boolean(!isChecked).nested(at: toggle)),
        ])
        let operation = ContentValue.object([.init("op", .text("patchItems")), .init("items", .array([patch]))])
        _ = send(
            .propose(operations: ContentValue.array([operation]).json), row: .item(item), items: [item],
            title: "\(isChecked ? "Uncheck" : "Check") \(subject([item]))")
    }

    mutating func performAction(withKey key: Character) {
        guard ensureActionsAreAllowed(), ensureCursorIsVisible(), let cursor = pane.cursor else { return }
        if let action = actions(of: cursor).first(where: { $0.key == key }) { return perform(action) }
        if let action = pane.document.listLook.actions.first(where: { $0.key == key }) { performForList(action) }
    }

    mutating func perform(_ action: Action) {
        guard ensureMayAct(), let cursor = pane.cursor else { return }
        if case .range = mode { endRange(keepingMarks: true) }
        var section: SectionID?
        if case .header(let id) = cursor { section = id }
        begin(action, items: targets(of: action), section: section, row: cursor)
    }

    mutating func performForList(_ action: Action) {
        guard ensureMayChange() else { return }
        begin(action, items: [], section: nil, row: nil)
    }

    mutating func begin(_ action: Action, items: [ItemID], section: SectionID?, row: RowID?) {
        guard action.isEnabled else { return showMessage("“\(action.title)” is not available now: nothing was done") }
        guard action.confirmation != .none else { return carryOut(action, items: items, section: section, row: row) }
        let question = Question(
            text: questionText(action, items), action: action, items: items, section: section, row: row)
        enter(.question(question))
    }

    /// Always names the targets, even if the content defines the question.
    private func questionText(_ action: Action, _ items: [ItemID]) -> String {
        let subject = subject(items)
        let standard = "\(title(of: action, items))?"
        guard case .text(let text) = action.confirmation else { return standard }
        return subject.isEmpty ? text : "\(text) (\(subject))"
    }

    private func title(of action: Action, _ items: [ItemID]) -> String {
        items.isEmpty ? action.title : "\(action.title) \(subject(items))"
    }

    private func doneTitle(of action: Action, _ items: [ItemID]) -> String {
        guard !items.isEmpty else { return action.title }
        return "\(action.title): \(items.count == 1 ? name(of: items[0]) : subject(items))"
    }

    func name(of item: ItemID) -> String {
        fitted(look(of: item)?.text ?? harmlessText(item.description), columns: 60)
    }

    func subject(_ items: [ItemID]) -> String {
        guard items.count == 1 else { return items.isEmpty ? "" : "\(items.count) items" }
        return "“\(name(of: items[0]))”"
    }

    mutating func carryOut(_ action: Action, items: [ItemID], section: SectionID?, row: RowID?) {
        let kind: ViewerRequest.Kind
        switch action.effect {
        case .perform(let arguments):
            kind = .perform(action: action.id, items: items, section: section, arguments: arguments?.json)
        case .operations(let operations):
            kind = .transact(operations: Self.filled(operations, items).json)
        case .patch(let patch):
            let patches = items.map { item in
                ContentValue.object([.init("id", .text(item.description)), .init("content", patch)])
            }
            let operation = ContentValue.object([.init("op", .text("patchItems")), .init("items", .array(patches))])
            kind = .transact(operations: ContentValue.array(items.isEmpty ? [] : [operation]).json)
        }
        let request = send(
            kind, row: row, items: items, title: title(of: action, items), done: doneTitle(of: action, items))
        pane.requests[request]?.showsOutput = action.showsOutput
        if action.takesSeveral { pane.marks.subtract(items) }
    }

    /// Repeats the operations for each item, with its id in place of `"$item"`. Operations without `"$item"` are used once.
    private static func filled(_ operations: [ContentValue], _ items: [ItemID]) -> ContentValue {
        let template = ContentValue.array(operations)
        guard template.contains(.text("$item")) else { return template }
        return .array(
            items.flatMap { item in
                operations.map { $0.replacing(.text("$item"), by: .text(item.description)) }
            })
    }

    // MARK: - Copying and editing

    mutating func copy() {
        guard ensureCursorHasNotMoved(), let item = pane.cursor?.item else { return }
        let items = pane.marks.isEmpty ? [item] : pane.orderedMarks
        let plan = pane.document.snapshot.indexPath(ofItem: item).map { scene.composer.plan($0[0]) }
        let texts = items.map { id in
            plan.flatMap { scene.composer.resolved(id, $0)?.look.text } ?? harmlessText(id.description)
        }
        append(.copy(texts.joined(separator: "\n")))
        showMessage(items.count == 1 ? "Copied" : "\(items.count) texts copied")
    }

    mutating func edit() {
        guard ensureActionsAreAllowed(), ensureMayAct(), let item = pane.cursor?.item else { return }
        append(.edit(list: selected, item))
    }

    mutating func noteEdit(of item: ItemID, _ revision: Int, list: Int) {
        guard panes.indices.contains(list) else { return }
        panes[list].noteOwnChange(revision, "Edit \(subject([item]))")
        setNeedsDrawing()
    }

    func isEnabled(_ item: ItemID) -> Bool {
        guard let path = pane.document.snapshot.indexPath(ofItem: item) else { return true }
        return scene.composer.resolved(item, scene.composer.plan(path[0]))?.look.isEnabled ?? true
    }

    mutating func showDisabledMessage(_ item: ItemID) {
        let text = look(of: item)?.text ?? harmlessText(item.description)
        showMessage("“\(fitted(text, columns: 40))” is disabled: nothing was done")
    }
}

extension ContentValue {
    fileprivate func contains(_ value: ContentValue) -> Bool {
        if self == value { return true }
        switch self {
        case .array(let elements): return elements.contains { $0.contains(value) }
        case .object(let members): return members.contains { $0.value.contains(value) }
        case .null, .boolean, .number, .text: return false
        }
    }

    fileprivate func replacing(_ old: ContentValue, by new: ContentValue) -> ContentValue {
        if self == old { return new }
        switch self {
        case .array(let elements): return .array(elements.map { $0.replacing(old, by: new) })
        case .object(let members):
            return .object(members.map { Member($0.name, $0.value.replacing(old, by: new)) })
        case .null, .boolean, .number, .text: return self
        }
    }
}

extension ItemLook {
    /// The look's actions and those at both ends of its row, each once.
    var allActions: [Action] {
        var all: [Action] = []
        for action in actions + leadingActions + trailingActions where !all.contains(where: { $0.id == action.id }) {
            all.append(action)
        }
        return all
    }
}
