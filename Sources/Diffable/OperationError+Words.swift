// What a draft throws is seen by whoever prints the error, so it says what is wrong and what to do.

extension OperationError: CustomStringConvertible {
    /// What is wrong and what to do, for people.
    public var description: String {
        switch self {
        case .noSuchSection(let section):
            "there is no section \"\(section)\" in the list: `sectionIdentifiers` of the snapshot has those there are, and "
                + "`appendSections` makes one"
        case .noSuchItem(let item):
            "there is no item \"\(item)\" in the list: `itemIdentifiers` of the snapshot has those there are, and "
                + "`appendItems` makes one"
        case .duplicateSection(let section):
            "the section \"\(section)\" is in the list already, or stands twice in what is inserted: each id stands once in a "
                + "list; move the section, or delete it first"
        case .duplicateItem(let item):
            "the item \"\(item)\" is in the list already, or stands twice in what is inserted: each id stands once in a list, "
                + "whatever its section; move the item, or delete it first"
        case .invalidItemAnchor(let item, let fault): "the item \"\(item)\" \(fault.sentence)"
        case .invalidSectionAnchor(let section, let fault): "the section \"\(section)\" \(fault.sentence)"
        case .ownDescendant(let item):
            "the item \"\(item)\" would come under itself: move its descendant out first"
        case .tooManyLevels(let item, let max):
            "the item \"\(item)\" would stand deeper than \(max) levels: place it higher up, with its children"
        case .tooManyItems(let max):
            "the list would have more than \(max) items: delete some first, or use several lists"
        case .contentTooLong(let item, let length, let max):
            "the item \"\(item)\" would have \(length) bytes of content, more than \(max): keep the rest elsewhere, and "
                + "name it in the content"
        case .listContentTooLong(let length, let max):
            "the list would have \(length) bytes of content of its own, more than \(max): keep the rest in items"
        case .tooMuchPatched(let max):
            "the patches would read more than \(max) bytes of content: put all changes of an item into one patch, or make "
                + "several transactions"
        }
    }
}

extension AnchorFault {
    /// What follows the name of the item or section.
    package var sentence: String {
        switch self {
        case .isInserted:
            "cannot be the anchor, as it is itself among what is inserted: name one that is in the list already"
        case .isMoved: "cannot be the anchor, as it is itself what is moved: name another one"
        case .isElsewhere:
            "cannot be the anchor, as it does not stand directly in the section, or under the parent, that is named beside it: "
                + "name those where it is, or neither"
        case .isParentElsewhere:
            "cannot be the parent, as it is not in the section that is named beside it: leave the section out, or name its own"
        }
    }
}

extension TransactionError: CustomStringConvertible {
    /// Which operation, counted from zero, and what is wrong with it.
    public var description: String { "operation \(index): \(reason)" }
}
