// Programs print the errors of a draft, so the texts name the problem and the remedy.

extension OperationError: CustomStringConvertible {
    /// The problem and the remedy, for people.
    public var description: String {
        switch self {
        case .noSuchSection(let section):
            "there is no section \"\(section)\" in the list; `sectionIdentifiers` of the snapshot lists the sections, and "
                + "`appendSections` adds one"
        case .noSuchItem(let item):
            "there is no item \"\(item)\" in the list; `itemIdentifiers` of the snapshot lists the items, and `appendItems` adds one"
        case .duplicateSection(let section):
            "duplicate section \"\(section)\": the operation inserts it twice (insert it once), or the list has it already (move it, "
                + "or delete it first)"
        case .duplicateItem(let item):
            "duplicate item \"\(item)\": the operation inserts it twice (insert it once), or the list has it already, in this "
                + "or another section (move it, or delete it first)"
        case .invalidItemAnchor(let item, let fault): "the item \"\(item)\" \(fault.sentence)"
        case .invalidSectionAnchor(let section, let fault): "the section \"\(section)\" \(fault.sentence)"
        case .ownDescendant(let item):
            "the item \"\(item)\" would be placed under itself or one of its descendants: choose a parent outside it, or first move the "
                + "intended parent out of it"
        case .tooManyLevels(let item, let max):
            "the item \"\(item)\" or its children would be deeper than \(max) levels: give it a parent that is less deep"
        case .tooManyItems(let max):
            "the list would have more than \(max) items: delete some first, or use several lists"
        case .contentTooLong(let item, let length, let max):
            "the item \"\(item)\" would have \(length) bytes of content, more than \(max): store the rest elsewhere, and "
                + "refer to it in the content"
        case .listContentTooLong(let length, let max):
            "the list would have \(length) bytes of content of its own, more than \(max): store the rest in items"
        case .tooMuchPatched(let max):
            "the patches of one transaction would read more than \(max) bytes of content: put all changes of an item into one "
                + "patch, or split the transaction"
        }
    }
}

extension AnchorFault {
    /// The rest of a sentence that starts with the item or section.
    package var sentence: String {
        switch self {
        case .isInserted:
            "cannot be the anchor (before or after), because the same operation inserts it: name one that the list has already"
        case .isMoved:
            "cannot be the anchor (before or after), because the same operation moves it: name another one"
        case .isElsewhere:
            "cannot be the anchor (before or after), because it is not directly in the named section or under the named parent: "
                + "name its own section and parent, or neither"
        case .isParentElsewhere:
            "cannot be the parent, because it is not in the named section: leave the section out, or name the section of the "
                + "parent"
        }
    }
}

extension TransactionError: CustomStringConvertible {
    /// The index of the operation, from zero, and its problem.
    public var description: String { "operation \(index): \(reason)" }
}
