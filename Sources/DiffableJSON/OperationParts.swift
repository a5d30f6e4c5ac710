import Diffable

enum SectionRun {
    case sections([Section])
    case ids([SectionID])
    case reloads([SectionReload])
}

enum ItemRun {
    case items([Item])
    case ids([ItemID])
    case reconfigurations([ItemReconfiguration])
    case patches([ItemPatch])
    case reloads([ItemReload])
}

/// The members of an operation. They are collected in any order, and the operation is made when all are read.
struct OperationParts {
    let idLengthMax: Int
    var sections: SectionRun?
    var items: ItemRun?
    var item: ItemID?
    /// An inner nil is an explicit `null`: the last section, unless another member gives the position.
    var section: JSONString??
    var parent: ItemID?
    var before: JSONString?
    /// An inner nil is `null`: the front.
    var after: JSONString??
    var unknown: ListOperation.Unknown?
    /// The list's own content; an inner nil is `null`, which removes it.
    var content: Content??
    var patch: MergePatch?

    func operation(_ verb: OperationVerb, startingAt start: Int) throws(DecodingError) -> ListOperation {
        func missing(_ what: String) -> DecodingError { .invalid("\(verb.name) needs the member \(what)", at: start) }
        if before != nil, after != nil {
            throw .invalid("\(verb.name) takes before or after, not both", at: start)
        }
        switch (verb, sections, items) {
        case (.reconfigureList, _, _):
            guard let content else { throw missing("content: the new content, or null to remove it") }
            return .reconfigureList(content)
        case (.patchList, _, _):
            guard let patch else { throw missing("content, a JSON merge patch") }
            return .patchList(patch.listPatch)
        case (.appendSections, .sections(let sections), _): return .appendSections(sections)
        case (.insertSections, .sections(let sections), _):
            guard let position = try sectionPosition() else { throw missing("before or after") }
            return .insertSections(sections, at: position)
        case (.deleteSections, .ids(let ids), _): return .deleteSections(ids, unknown ?? .isError)
        case (.reloadSections, .reloads(let reloads), _): return .reloadSections(reloads)
        case (.moveSection, _, _):
            guard let section = try sectionID() else { throw missing("section") }
            guard let position = try sectionPosition() else { throw missing("before or after") }
            return .moveSection(section, to: position)
        case (.appendItems, _, .items(let items)): return .appendItems(items, to: try container())
        case (.insertItems, _, .items(let items)):
            guard before != nil || after != nil else { throw missing("before or after; to append, use appendItems") }
            guard let position = try itemPosition(startingAt: start) else { throw missing("before or after") }
            return .insertItems(items, at: position)
        case (.deleteItems, _, .ids(let ids)): return .deleteItems(ids, unknown ?? .isError)
        case (.deleteAllItems, _, _): return .deleteAllItems
        case (.moveItem, _, _):
            guard let item else { throw missing("item") }
            guard let position = try itemPosition(startingAt: start) else {
                throw missing("before, after, section or parent")
            }
            return .moveItem(item, to: position)
        case (.reconfigureItems, _, .reconfigurations(let items)): return .reconfigureItems(items)
        case (.patchItems, _, .patches(let items)): return .patchItems(items)
        case (.reloadItems, _, .reloads(let items)): return .reloadItems(items)
        case (.expandItems, _, .ids(let ids)): return .expandItems(ids)
        case (.collapseItems, _, .ids(let ids)): return .collapseItems(ids)
        case (.foldItems, _, .ids(let ids)): return .foldItems(ids)
        case (.unfoldItems, _, .ids(let ids)): return .unfoldItems(ids)
        case (.replaceChildren, _, .items(let items)):
            guard let parent else { throw missing("parent") }
            return .replaceChildren(of: parent, with: items)
        default: throw missing(verb.takesSections ? "sections" : "items")
        }
    }

    // MARK: - Positions

    private func sectionID() throws(DecodingError) -> SectionID? {
        guard case .some(let section?) = section else { return nil }
        return try identifier(section, "section")
    }

    private func sectionPosition() throws(DecodingError) -> SectionPosition? {
        if let before { return .before(try identifier(before, "before")) }
        switch after {
        case nil: return nil
        case .some(nil): return .front
        case .some(let after?): return .after(try identifier(after, "after"))
        }
    }

    /// The last section if the operation names neither a section nor a parent.
    private func container() throws(DecodingError) -> Container {
        Container(section: try sectionID(), parent: parent)
    }

    /// Nil if the operation has no member that gives a position.
    private func itemPosition(startingAt start: Int) throws(DecodingError) -> ItemPosition? {
        let container = try container()
        // An anchor gives the position, so a null section has no effect then.
        let anchored = container.isLastSection ? nil : container
        let isSaid = section != nil || parent != nil
        if let before { return .before(try identifier(before, "before"), in: anchored) }
        switch after {
        case nil: return isSaid ? .end(of: container) : nil
        case .some(nil):
            guard isSaid else {
                throw .invalid(
                    "\"after\":null means the front of a section or parent: give section or parent too", at: start)
            }
            return .front(of: container)
        case .some(let after?): return .after(try identifier(after, "after"), in: anchored)
        }
    }

    private func identifier<Named>(
        _ string: JSONString, _ member: String
    ) throws(DecodingError) -> Identifier<Named> {
        do throws(IdentifierError) {
            return try string.withUTF8 { utf8 throws(IdentifierError) in
                try Identifier<Named>(validating: utf8, lengthMax: idLengthMax)
            }
        } catch {
            throw DecodingError.identifier(error, "the id", at: string.offset, lengthMax: idLengthMax).inside(member)
        }
    }
}
