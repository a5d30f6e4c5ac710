import Diffable
import DiffableJSON

// Actions on rows. They use the ids that were drawn, now or not at all.

extension Viewer {
    /// Whether an action on the row under the cursor is allowed; otherwise shows a message.
    mutating func mayAct() -> Bool {
        guard mayChange() else { return false }
        return mayTouch()
    }

    /// Whether any action on the list is allowed; otherwise shows a message.
    mutating func mayChange() -> Bool {
        if isReadOnly() { return false }
        guard lostSince == nil else {
            fail("There is no connection to the daemon: nothing was done")
            return false
        }
        switch pane.absence {
        case nil: return true
        case .deleted?: fail("The list was deleted or renamed: nothing was done")
        case .notReadable?: fail("You may no longer read this list: nothing was done")
        }
        return false
    }

    /// Whether rows may move; otherwise shows a message. `target` is the row that they would be next to.
    mutating func mayMove(_ items: [ItemID], beside target: ItemID? = nil) -> Bool {
        if let target, items.contains(target) || pane.document.snapshot.hasAncestor(of: target, in: Set(items)) {
            say("A row cannot be moved next to itself or below itself: select another row")
            return false
        }
        guard pane.shownQuery.filter.sort.isEmpty else {
            let remedy = options.filter.sort.isEmpty ? "s, then Enter, ends the sorting" : "start without --sort"
            say("Rows cannot be moved while they are sorted: \(remedy)")
            return false
        }
        guard items.allSatisfy(mayReorder) else {
            let rows = items.count == 1 ? "This row" : "Some of these rows"
            say("\(rows) cannot be moved: set canReorder in the list's content or --look")
            return false
        }
        return true
    }

    private func mayReorder(_ item: ItemID) -> Bool {
        guard let path = pane.document.snapshot.indexPath(ofItem: item) else { return true }
        return scene.composer.resolved(item, scene.composer.plan(path[0]))?.look.canReorder ?? true
    }

    /// Whether the row under the cursor is the one that the user has seen there.
    mutating func mayTouch() -> Bool {
        guard showsCursor(), let cursor = pane.cursor else { return false }
        guard drawn.cursor == cursor, now >= drawn.guardEnd else {
            flash = (cursor, now + Self.flashDuration)
            say("Another row has just moved here: nothing was done; press again to use it")
            return false
        }
        return true
    }

    /// Whether the row under the cursor is visible. If it is not, it is shown, and nothing else happens.
    mutating func showsCursor() -> Bool {
        guard !isSearching else {
            say("The list is still being searched: nothing was done")
            return false
        }
        guard let cursor = pane.cursor else { return false }
        if screenAnchor(of: cursor) != nil { return true }
        layOut(revealing: cursor)
        return false
    }

    /// Whether the visible rows belong to another search, condition or order than the requested one.
    var isSearching: Bool { pane.isLoaded && pane.filter != pane.shownQuery.filter }

    static let flashDuration = Duration.milliseconds(300)

    // MARK: - Actions

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
            if mayTouch(), let item = pane.cursor?.item { openList(of: item) }
            return
        }
        guard showsCursor(), let cursor = pane.cursor else { return }
        if let item = cursor.item, !isEnabled(item), !isExpandable(item) { return sayNotEnabled(item) }
        if case .more(let section) = cursor {
            guard mayAct(), !pane.requests.values.contains(where: { $0.row == cursor }) else { return }
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
            if mayTouch() { openList(of: item) }
        } else if let item = cursor.item, isExpandable(item) {
            toggle(item)
        } else if !actions.isEmpty {
            openMenu()
        } else {
            say("Enter does nothing here; ? shows the keys")
        }
    }

    func toggle(of item: ItemID) -> String? { options.picking == .none ? look(of: item)?.toggle : nil }

    /// Switches the value at the row's `toggle`. The list's handler can refuse it.
    mutating func check(_ item: ItemID) {
        guard isEnabled(item) else { return sayNotEnabled(item) }
        guard mayAct(), let look = look(of: item), let toggle = look.toggle else { return }
        let isChecked = look.checkbox == .checked
        let patch = ContentValue.object([
            .init("id", .text(item.description)),
            .init("content", ContentValue.boolean(!isChecked).standing(at: toggle)),
        ])
        let operation = ContentValue.object([.init("op", .text("patchItems")), .init("items", .array([patch]))])
        _ = send(
            .propose(operations: ContentValue.array([operation]).json), row: .item(item), items: [item],
            title: "\(isChecked ? "Uncheck" : "Check") \(subject([item]))")
    }

    mutating func performAction(withKey key: Character) {
        guard mayOffer(), showsCursor(), let cursor = pane.cursor else { return }
        if let action = actions(of: cursor).first(where: { $0.key == key }) { return perform(action) }
        if let action = pane.document.listLook.actions.first(where: { $0.key == key }) { performForList(action) }
    }

    mutating func perform(_ action: Action) {
        guard mayAct(), let cursor = pane.cursor else { return }
        if case .range = mode { endRange(keepingMarks: true) }
        var section: SectionID?
        if case .header(let id) = cursor { section = id }
        begin(action, items: targets(of: action), section: section, row: cursor)
    }

    mutating func performForList(_ action: Action) {
        guard mayChange() else { return }
        begin(action, items: [], section: nil, row: nil)
    }

    mutating func begin(_ action: Action, items: [ItemID], section: SectionID?, row: RowID?) {
        guard action.isEnabled else { return say("“\(action.title)” is not available now: nothing was done") }
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

    // MARK: - Replies

    mutating func receive(_ reply: ViewerReply) {
        guard let list = panes.firstIndex(where: { $0.requests[reply.request] != nil }),
            let request = panes[list].requests.removeValue(forKey: reply.request)
        else { return }
        setNeedsDrawing()
        switch reply.result {
        case .done(let revision, let answer):
            if let answer, request.showsOutput {
                append(.show(answer, title: request.done))
            } else if let answer {
                say(harmlessText(answer))
            }
            switch request.kind {
            case .undo(let restored, let known):
                panes[list].noteUndo(to: restored, revision ?? known)
                sayDone("Undone: \(request.title)", undoing: "U redoes")
            case .redo(let restored, let known):
                panes[list].noteRedo(to: restored, revision ?? known)
                sayDone("Redone: \(request.title)", undoing: "u undoes")
            default:
                if let revision { panes[list].noteOwnChange(revision, request.title) }
                if answer == nil, revision != nil || request.isPerformed {
                    sayDone(request.done, undoing: revision == nil ? nil : "u undoes")
                }
            }
            if case .expand(let item) = request.kind { showChildren(of: item, list: list) }
            continueReordering(reply.request, list: list)
            showAdded(reply.request, list: list)
        case .refused(let reason):
            fail(reason)
            if panes[list].reordering?.request == reply.request { panes[list].reordering = nil }
            if panes[list].adding?.request == reply.request { panes[list].adding = nil }
        }
    }

    private mutating func sayDone(_ text: String, undoing key: String?) {
        say(([text] + [key].compactMap(\.self)).joined(separator: " \(options.symbols.bullet) "), for: .seconds(3))
    }

    private mutating func showChildren(of item: ItemID, list: Int) {
        guard list == selected else { return }
        if pane.document.childCount(item) > 0 {
            if !pane.document.isExpanded(item) { setExpanded(item, true) }
        } else if case .here = pane.shownQuery.folding, !pane.shownQuery.filter.leavesOut {
            say("\(subject([item])) has no children, and no handler has added any")
        }
    }

    // MARK: - Undoing, copying, editing

    /// Undoes the user's own changes one after the other, unless another client's change is in between.
    mutating func undo() {
        guard mayChange() else { return }
        guard let own = pane.ownChanges.last else { return say("You have made no change here that can be undone") }
        guard !isRestoring() else { return }
        let newest = pane.newestRevision
        guard own.revision == pane.likeness(of: newest) else {
            return say("Someone else has changed the list since: nothing was undone")
        }
        _ = send(.undo(to: own.before, ifRevision: newest), row: nil, items: [], title: own.title)
    }

    /// Redoes the change that was undone last here, unless the list has changed since.
    mutating func redo() {
        guard mayChange() else { return }
        guard let undone = pane.undoneChanges.last else {
            return say("You have undone nothing here that can be redone")
        }
        guard !isRestoring() else { return }
        let newest = pane.newestRevision
        guard pane.likeness(of: undone.before) == pane.likeness(of: newest) else {
            return say("Someone else has changed the list since: nothing was redone")
        }
        _ = send(.redo(to: undone.revision, ifRevision: newest), row: nil, items: [], title: undone.title)
    }

    private mutating func isRestoring() -> Bool {
        for request in pane.requests.values {
            switch request.kind {
            case .undo: say("The last change is still being undone")
            case .redo: say("The last change is still being redone")
            default: continue
            }
            return true
        }
        return false
    }

    mutating func copy() {
        guard mayTouch(), let item = pane.cursor?.item else { return }
        let items = pane.marks.isEmpty ? [item] : pane.orderedMarks
        let plan = pane.document.snapshot.indexPath(ofItem: item).map { scene.composer.plan($0[0]) }
        let texts = items.map { id in
            plan.flatMap { scene.composer.resolved(id, $0)?.look.text } ?? harmlessText(id.description)
        }
        append(.copy(texts.joined(separator: "\n")))
        say(items.count == 1 ? "Copied" : "\(items.count) texts copied")
    }

    mutating func edit() {
        guard mayOffer(), mayAct(), let item = pane.cursor?.item else { return }
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

    mutating func sayNotEnabled(_ item: ItemID) {
        let text = look(of: item)?.text ?? harmlessText(item.description)
        say("“\(fitted(text, columns: 40))” is disabled: nothing was done")
    }

    // MARK: - Reordering

    /// Requests to move the row up or down among its siblings. It moves when the list changes.
    mutating func reorder(by steps: Int) {
        guard mayOffer(), showsCursor(), let item = pane.cursor?.item, mayMove([item]) else { return }
        if var reordering = pane.reordering, reordering.item == item {
            reordering.steps += steps
            pane.reordering = reordering
            return
        }
        guard mayAct() else { return }
        propose(item, by: steps, list: selected)
    }

    private mutating func propose(_ item: ItemID, by steps: Int, list: Int) {
        guard let path = panes[list].document.snapshot.indexPath(ofItem: item), let index = path.last else { return }
        let siblings = Array(path.dropLast())
        let snapshot = panes[list].document.snapshot
        var target = max(index + steps, 0)
        while target > index, snapshot.itemIdentifier(at: siblings + [target]) == nil { target -= 1 }
        guard target != index, let neighbour = snapshot.itemIdentifier(at: siblings + [target]) else {
            panes[list].reordering = nil
            if path.count == 2, proposeSection(item, from: path[0], by: steps < 0 ? -1 : 1, list: list) { return }
            return say(steps < 0 ? "This row is already the first" : "This row is already the last")
        }
        proposeMove(item, target < index ? "before" : "after", neighbour, list: list)
    }

    mutating func proposeMove(_ item: ItemID, _ side: String, _ neighbour: ItemID, list: Int) {
        proposeMove(item, to: [.init(side, .text(neighbour.description))], list: list)
    }

    /// Proposes the first place of the next section, or the last one of the section before. Returns whether there is one where
    /// rows can be moved.
    private mutating func proposeSection(_ item: ItemID, from index: Int, by step: Int, list: Int) -> Bool {
        let pane = panes[list]
        let composer = Composer(document: pane.document, viewport: viewport())
        guard step > 0 ? !composer.isCutAtEnd(index) : !composer.isCut(index), !pane.shownQuery.filter.leavesOut,
            index + step >= 0, index + step < composer.sectionCount
        else { return false }
        let plan = composer.plan(index + step)
        guard composer.resolved(item, plan)?.look.canReorder == true else { return false }
        var place = [ContentValue.Member("section", .text(plan.id.description))]
        if step > 0 { place.append(.init("after", .null)) }
        proposeMove(item, to: place, list: list)
        return true
    }

    private mutating func proposeMove(_ item: ItemID, to place: [ContentValue.Member], list: Int) {
        let operation = ContentValue.object(
            [.init("op", .text("moveItem")), .init("item", .text(item.description))] + place)
        let request = send(
            .propose(operations: ContentValue.array([operation]).json), row: .item(item), items: [],
            title: "Move \(subject([item]))", list: list)
        panes[list].reordering = Pane.Reordering(item: item, steps: 0, request: request)
    }

    private mutating func continueReordering(_ request: Int, list: Int) {
        guard let reordering = panes[list].reordering, reordering.request == request else { return }
        panes[list].reordering = nil
        if reordering.steps != 0 { propose(reordering.item, by: reordering.steps, list: list) }
        if list == selected { layOut(revealing: pane.cursor) }
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
