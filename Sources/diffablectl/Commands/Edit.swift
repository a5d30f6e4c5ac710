import ArgumentParser
import Diffable
import DiffableClient
import DiffableInput

struct Edit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Edit an item's content, or a whole list, in an editor.",
        discussion: """
            The editor is $VISUAL, else $EDITOR, else vi. It opens a file with the content, or with the list, an item \
            on each line. When you save and quit, the list is changed to match the file. If another client changes the \
            list while you edit, the changes are merged, provided that they are of different items, or of different \
            members of one content. Otherwise nothing is changed, the status is 5, and the command names a file with \
            your text. Text that is not valid is kept in the same way.
            """)

    @Argument(help: "The list.", completion: .lists, transform: listName) var list: ListName
    @Argument(help: "The item. Default: the whole list.", completion: .items, transform: itemID) var item: ItemID?
    @OptionGroup var options: ChangeOptions

    func run() async throws {
        let base = try await options.daemon.withReadOnlyConnection { try await $0.state(of: list) }
        if let revision = options.ifRevision, revision != base.revision {
            throw CommandError(
                .conflict,
                "the list \(quoted(list)) is at revision \(base.revision), not \(revision) (--if-revision); nothing "
                    + "was edited. To edit this revision, use --if-revision \(base.revision)")
        }
        let text: String
        if let item {
            guard let known = base.snapshot.itemAlone(item) else {
                throw CommandError(
                    .notFound, "the list \(quoted(list)) has no item \(quoted(item)); diffablectl append creates one")
            }
            text = EditableText.text(of: known.content)
        } else {
            text = EditableText.text(of: base.snapshot)
        }
        let file = try EditedFile(text, named: item == nil ? "list.json" : "item.json")
        do {
            let edited = try await file.edited()
            if edited == Array(text.utf8) {
                if !options.quiet { printMessage("nothing was edited") }
            } else {
                try await send(edited, base)
            }
        } catch {
            guard await file.isEdited(from: text) else {
                file.remove()
                throw error
            }
            let isOpen = (error as? ClientError)?.leavesOutcomeOpen ?? false
            printMessage(
                "\(isOpen ? "the list may have been changed" : "nothing was changed"); the text is kept in \(file.path)"
            )
            throw error
        }
        file.remove()
    }

    private func send(_ edited: [UInt8], _ base: ListState) async throws {
        let mine = try changed(base.snapshot, edited)
        // The user allows the change at the edited revision only.
        guard options.ifRevision == nil else {
            return try await options.transact(list, mine.difference(from: base.snapshot))
        }
        try await options.transact(list) { theirs in
            if theirs == base.snapshot { return mine }
            guard let merged = try merged(base.snapshot, mine, theirs) else {
                throw CommandError(
                    .conflict,
                    "another client has changed the same part of \(list); `diffablectl diff \(commandWord(list)) \(base.revision)` "
                        + "prints that change. Edit the list again")
            }
            return merged
        }
    }

    private func changed(_ base: Snapshot, _ edited: [UInt8]) throws -> Snapshot {
        guard let item else { return try EditableText.snapshot(of: edited, from: base) }
        return try base.applying([reconfiguration(of: item, try EditableText.content(of: edited))])
    }

    /// Nil if both sides changed the same item.
    private func merged(_ base: Snapshot, _ mine: Snapshot, _ theirs: Snapshot) throws -> Snapshot? {
        guard let item else { return ThreeWayMerge.merged(base: base, mine: mine, theirs: theirs) }
        guard let known = theirs.itemAlone(item) else { return nil }
        let merged = ThreeWayMerge.merged(
            base: base.itemAlone(item)?.content, mine: mine.itemAlone(item)?.content, theirs: known.content)
        guard case .content(let content) = merged else { return nil }
        return try theirs.applying([reconfiguration(of: item, content)])
    }

    private func reconfiguration(of item: ItemID, _ content: Content?) -> ListOperation {
        .reconfigureItems([ItemReconfiguration(id: item, content: .some(content))])
    }
}
