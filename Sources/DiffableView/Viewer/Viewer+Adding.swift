import Diffable
import DiffableJSON

// A new item, of which its text is typed. It is proposed, so that the list's handler can say no.

extension Viewer {
    /// Where a new item comes.
    struct NewPlace: Sendable {
        /// Nil where the list has no items.
        var section: SectionID?
        /// Nil: at the front of its section.
        var predecessor: ItemID?
        /// That of the item before it, so that it is drawn and done with in the same way.
        var kind: Kind?
        /// Where in its content the text stands that its row begins with: a pointer.
        var textPath = "/text"
    }

    /// Asks for the text of a new item, where the list says that items can be added.
    mutating func beginAdding() {
        // Whoever types on does not mean these keys for the rows.
        deafEnd = now + Self.deafDuration
        guard mayOffer(), mayChange(), showsCursor(), var place = placeOfNewItem else { return }
        guard canInsert(place) else { return say("No rows can be added here") }
        deafEnd = nil
        place.textPath = textPath(of: place)
        beginTyping(.item(place))
    }

    /// Takes the keys of a text that nobody asked for, each soon after the one before, up to its Enter.
    ///
    /// - Returns: whether it was one.
    mutating func passOver(_ key: KeyPress) -> Bool {
        guard let end = deafEnd, now < end, key.modifiers.isSubset(of: .shift) else { return false }
        switch key.key {
        case .character, .backspace: deafEnd = now + Self.deafDuration
        case .enter: deafEnd = nil
        default: return false
        }
        return true
    }

    private static let deafDuration = Duration.milliseconds(700)

    /// The first column of a table, else where the kind has its text.
    private func textPath(of place: NewPlace) -> String {
        let standard = pane.document.looks.textPath(ofKind: place.kind) ?? "/text"
        guard let section = place.section, let index = pane.document.snapshot.index(ofSection: section) else {
            return standard
        }
        let plan = scene.composer.plan(index)
        guard plan.sort == .table, let first = scene.composer.tableColumns(plan).firstPath, first.hasPrefix("/") else {
            return standard
        }
        return first
    }

    private var placeOfNewItem: NewPlace? {
        let snapshot = pane.document.snapshot
        switch pane.cursor {
        case .item(let item)?:
            return NewPlace(
                section: snapshot.sectionIdentifier(containingItem: item), predecessor: item,
                kind: snapshot.itemAlone(item)?.kind)
        case .header(let section)?: return NewPlace(section: section)
        case .more(let section)?:
            let last = snapshot.rootItems(inSection: section)?.last
            return NewPlace(section: section, predecessor: last, kind: last.flatMap(snapshot.item)?.kind)
        case .empty?: return NewPlace()
        case .title?, .footer?, .placeholder?, nil: return nil
        }
    }

    private func canInsert(_ place: NewPlace) -> Bool {
        guard let section = place.section else { return pane.document.looks.sectionLook(nil).canInsert }
        guard let index = pane.document.snapshot.index(ofSection: section) else { return false }
        return scene.composer.plan(index).look.canInsert
    }

    mutating func add(_ text: String, at place: NewPlace) {
        guard !text.isEmpty, mayChange() else { return }
        let id = options.newID()
        var item: [ContentValue.Member] = [.init("id", .text(id.description))]
        if let kind = place.kind { item.append(.init("kind", .text(kind.description))) }
        item.append(.init("content", ContentValue.text(text).standing(at: place.textPath)))
        var operation: [ContentValue.Member] = []
        if let predecessor = place.predecessor, pane.document.snapshot.contains(predecessor) {
            operation = [.init("op", .text("insertItems")), .init("after", .text(predecessor.description))]
        } else if let section = place.section, pane.document.snapshot.index(ofSection: section) != nil {
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
        pane.adding = Pane.Adding(request: request, item: id)
    }

    /// The cursor goes to what was added, so that the next one comes behind it.
    mutating func showAdded(_ request: Int, list: Int) {
        guard let adding = panes[list].adding, adding.request == request else { return }
        panes[list].adding = nil
        if list == selected, case .rows = mode, scene.drawnRow(of: adding.item) == .item(adding.item) {
            go(to: .item(adding.item))
        }
    }
}

extension ContentValue {
    /// An object in which a pointer (RFC 6901) leads to this.
    fileprivate func standing(at pointer: String) -> ContentValue {
        let names = pointer.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        return names.reversed().reduce(self) { value, name in
            .object([Member(unescaped(name), value)])
        }
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
