import Diffable
import DiffableJSON
import DiffableProtocol
import DiffableStore

// Converts the store's errors into protocol errors.

extension WireError {
    init(_ error: ReloadError) { self.init(.invalidConfiguration, error.reason) }

    init(_ error: StoreError) {
        switch error {
        case .noSuchList(let list): self.init(.noSuchList, "\(error)", list: list)
        case .noDeletedList(let list, _, _): self.init(.noSuchList, "\(error)", .deleted, list: list)
        case .notKept(let list, let loss): self.init(.notKept, "\(error)", Reason(loss), list: list)
        case .listExists(let list), .nameTaken(let list): self.init(.listExists, "\(error)", list: list)
        case .restoredListExists(let list, _): self.init(.listExists, "\(error)", .restore, list: list)
        case .tooManyLists(let max): self.init(.tooLarge, "\(error)", limit: Limit("listsMax", max: max))
        case .tooManyListsOfUser(_, let max):
            self.init(.tooLarge, "\(error)", limit: Limit("listsPerUserMax", max: max))
        case .contentOfUserTooLong(let list, _, let max):
            self.init(.tooLarge, "\(error)", list: list, limit: Limit("contentPerUserMax", max: max))
        case .permissionDenied(let list, let denial):
            self.init(.permissionDenied, "\(error)", Reason(denial), list: list)
        case .revisionMismatch(let list, _, let current):
            self.init(.revisionMismatch, "\(error)", list: list, revision: current)
        case .noSuchRevision(let list, _, _, let current):
            self.init(.noSuchRevision, "\(error)", list: list, revision: current)
        case .revisionNotMade(let list, _, let current):
            self.init(.noSuchRevision, "\(error)", .future, list: list, revision: current)
        case .nothingToUndo(let list, let isRedo, _, let found, let current):
            self.init(
                .noSuchRevision, "\(error)", isRedo ? .redo : .undo, list: list, revision: current, found: found)
        case .requestKeyReused(let list, _): self.init(.requestKeyReused, "\(error)", list: list)
        case .transaction(let list, let error): self.init(error.reason, list: list, operation: error.index)
        case .operation(let list, let reason): self.init(reason, list: list, operation: nil)
        case .repetition(let list, let repetition):
            self.init(.duplicateItem, "\(error)", list: list, item: repetition.item)
        case .invalidContent(let list, let invalid):
            let violation = invalid.violation
            self.init(
                .invalidContent, "\(error)", invalid.isExisting ? .existing : nil, list: list,
                operation: invalid.operation, item: invalid.item,
                violation: SchemaViolation(kind: violation.kind, path: violation.path, keyword: violation.keyword))
        case .notForShared(let list, let denial):
            self.init(.notForShared, "\(error)", Reason(denial), list: list)
        case .sharedChangeTooLong(let list, let max):
            self.init(.tooLarge, "\(error)", list: list, limit: Limit("sharedChangeLengthMax", max: max))
        case .unreachable(let list): self.init(.unreachable, "\(error)", list: list)
        case .newestUnknown(let list): self.init(.unreachable, "\(error)", .newest, list: list)
        case .newestElsewhere(let list, _): self.init(.unreachable, "\(error)", .source, list: list)
        case .outcomeUnknown(let list): self.init(.outcomeUnknown, "\(error)", list: list)
        case .noSpace: self.init(.noSpace, "\(error)")
        case .storageFailed: self.init(.storageFailed, "\(error)")
        case .unreadable: self.init(.storageUnreadable, "\(error)")
        case .shuttingDown: self.init(.shuttingDown, "\(error)")
        }
    }

    /// An error of the operation with this index, or, with nil, of the state of an `apply`.
    private init(_ reason: OperationError, list: ListName, operation: Int?) {
        let subject = "the list \"\(list)\""
        switch reason {
        case .noSuchSection(let section):
            self.init(
                .noSuchSection,
                "\(subject): there is no section \"\(section)\", and nothing was changed; `snapshot` shows the sections",
                list: list, operation: operation, section: section)
        case .noSuchItem(let item):
            self.init(
                .noSuchItem,
                "\(subject): there is no item \"\(item)\", and nothing was changed; `snapshot` shows the items",
                list: list, operation: operation, item: item)
        case .duplicateSection(let section):
            self.init(
                .duplicateSection,
                "\(subject): duplicate section \"\(section)\": it is already in the list, or twice in the request, and nothing was "
                    + "changed; insert it only once, or move the existing one",
                list: list, operation: operation, section: section)
        case .duplicateItem(let item):
            self.init(
                .duplicateItem,
                "\(subject): duplicate item \"\(item)\": it is already in the list, or twice in the request, and nothing was "
                    + "changed; insert it only once, or move the existing one",
                list: list, operation: operation, item: item)
        case .invalidItemAnchor(let item, let fault):
            self.init(
                .invalidAnchor, "\(subject): the item \"\(item)\" \(fault.sentence); nothing was changed",
                Reason(fault), list: list, operation: operation, item: item)
        case .invalidSectionAnchor(let section, let fault):
            self.init(
                .invalidAnchor, "\(subject): the section \"\(section)\" \(fault.sentence); nothing was changed",
                Reason(fault), list: list, operation: operation, section: section)
        case .ownDescendant(let item):
            self.init(
                .ownDescendant,
                "\(subject): the item \"\(item)\" would be placed under itself or one of its descendants, and nothing was changed; "
                    + "choose a parent outside it, or first move the intended parent out of it",
                list: list, operation: operation, item: item)
        case .tooManyLevels(let item, let max):
            self.init(
                .tooLarge,
                "\(subject): the item \"\(item)\" or its children would be deeper than \(max) levels (levelsMax), and nothing "
                    + "was changed; give it a parent that is less deep, or ask an administrator to raise the limit",
                list: list, operation: operation, item: item, limit: Limit("levelsMax", max: max))
        case .tooManyItems(let max):
            self.init(
                .tooLarge,
                "\(subject): the list would have more than \(max) items (itemsMax), and nothing was changed; delete some first, "
                    + "or ask an administrator to raise the limit",
                list: list, operation: operation, limit: Limit("itemsMax", max: max))
        case .tooMuchPatched(let max):
            self.init(
                .tooLarge,
                "\(subject): the patches of one transaction would read more than \(max) bytes of content "
                    + "(patchedLengthMax), and nothing was changed; put all changes of an item into one patch, or split "
                    + "the transaction",
                list: list, operation: operation, limit: Limit("patchedLengthMax", max: max))
        case .contentTooLong(let item, let length, let max):
            self.init(
                .tooLarge,
                "\(subject): the item \"\(item)\" would have \(length) bytes of content, more than \(max) "
                    + "(contentLengthMax), and nothing was changed; shorten it, or ask an administrator to raise the limit",
                list: list, operation: operation, item: item, limit: Limit("contentLengthMax", max: max))
        case .listContentTooLong(let length, let max):
            self.init(
                .tooLarge,
                "\(subject): the list would have \(length) bytes of content of its own, more than \(max) "
                    + "(contentLengthMax), and nothing was changed; store the rest in items",
                list: list, operation: operation, limit: Limit("contentLengthMax", max: max))
        }
    }
}

extension WireError.Reason {
    fileprivate init?(_ denial: Denial) {
        switch denial {
        case .creation: self = .create
        case .scope: self = .restrict
        case .change: self = .change
        case .asking: self = .ask
        case .handling: self = .handle
        case .deletion, .renaming, .governing, .schemas, .mirroring: self = .owner
        // A peer that cannot read the list does not learn that it is a mirror.
        case .mirrored(nil): return nil
        case .mirrored: self = .mirror
        case .givingAway: self = .root
        case .foreignGroup: self = .group
        case .readingWhileWriteOnly: self = .read
        case .unfitWhileWriteOnly: self = .hidden
        }
    }

    fileprivate init(_ denial: SharedDenial) {
        self =
            switch denial {
            case .schemas: .schemas
            case .renaming: .rename
            case .deletionAtRevision: .ifRevision
            case .namelessUser: .user
            case .namelessGroup: .group
            case .mirroring: .mirror
            case .replacing: .restore
            }
    }

    fileprivate init(_ fault: AnchorFault) {
        self =
            switch fault {
            case .isInserted: .inserted
            case .isMoved: .moved
            case .isElsewhere: .elsewhere
            case .isParentElsewhere: .parentElsewhere
            }
    }

    fileprivate init?(_ loss: DeletionLoss) {
        switch loss {
        case .tooLong: self = .tooLong
        case .keepsNone: self = .keepsNone
        case .leased: self = .leased
        case .madeRoom, .tooOld, .madeRoomForLater, .unwanted: return nil
        }
    }
}

// MARK: - Limits

extension WireError {
    static func tooManyConnections(max: Int) -> WireError {
        WireError(
            .tooLarge,
            "diffabled already has \(max) connections (connectionsMax): try again later, or ask an administrator to raise the limit",
            limit: Limit("connectionsMax", max: max))
    }

    static func tooManyConnections(of user: Int?, max: Int) -> WireError {
        WireError(
            .tooLarge,
            "\(user.map { "user \($0)" } ?? "this user") already has \(max) connections (connectionsPerUserMax): close some of them, "
                + "or ask an administrator to raise the limit",
            limit: Limit("connectionsPerUserMax", max: max))
    }

    static func tooManySubscriptions(list: ListName?, max: Int) -> WireError {
        WireError(
            .tooLarge,
            "this connection already has \(max) subscriptions (subscriptionsPerConnectionMax): end some with `unsubscribe`, "
                + "or use another connection",
            list: list, limit: Limit("subscriptionsPerConnectionMax", max: max))
    }

    static func silent(ageMax: Int) -> WireError {
        WireError(
            .tooLarge,
            "this connection is closed because it sent no line for \(ageMax) s (silentAgeMax): reconnect when you have a request",
            limit: Limit("silentAgeMax", max: ageMax))
    }

    static func tooMuchRegistered(list: ListName?, max: Int) -> WireError {
        WireError(
            .tooLarge,
            "this user's subscriptions, views, handlers and unread states of lists would take more than \(max) bytes "
                + "(registeredLengthMax), so one \(list.map { "for the list \"\($0)\"" } ?? "of all lists") was refused or has ended; end others with `unsubscribe` or "
                + "`unhandle`, read faster, or ask an administrator to raise the limit",
            list: list, limit: Limit("registeredLengthMax", max: max))
    }

    /// - Parameters:
    ///   - length: the memory for the refused request alone, in bytes
    ///   - smaller: how the caller can make that request smaller
    static func tooMuchHeld(list: ListName? = nil, length: Int, smaller: String, max: Int) -> WireError {
        WireError(
            .tooLarge,
            length > max
                ? "this request alone would take more than the \(max) bytes of memory (heldLengthMax) for a user's unfinished "
                    + "requests, and it was not carried out; \(smaller), or ask an administrator to raise heldLengthMax"
                : "together with this request, this user's unfinished requests would take more than \(max) bytes of memory "
                    + "(heldLengthMax), and this request was not carried out; send it again when the others are finished",
            list: list, limit: Limit("heldLengthMax", max: max))
    }
}
