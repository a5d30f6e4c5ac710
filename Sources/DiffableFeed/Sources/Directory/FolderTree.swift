import Diffable
import DiffableInput
import Glibc

/// A folder and the listed folders below it, kept in sync with the disk by inotify events. Each name in an event is looked up
/// again, so the order of events does not matter. A folder is identified by its watch, which stays with it when it is renamed.
/// Folders are opened one below the other, so a symbolic link that replaces a folder leads nowhere.
final class FolderTree {
    let settings: DirectorySettings
    private let events: FolderEvents
    let root: Folder
    private var watched: [Int32: Folder] = [:]
    private var listed: [FileStatus.Identity: Folder] = [:]
    /// Folders that have left their places since the last look. They may be found elsewhere, because the event with the new
    /// place may follow.
    private var detached: [Folder] = []
    /// The folders that had left their places before the last look, and are still missing.
    private var detachedBefore: [Folder] = []
    /// Watches of folders to look at again: they were not at their place, could not be read, had no room, or are below a
    /// detached folder.
    private var postponed: Set<Int32> = []
    private var isBehind = false
    /// Whether a postponed folder is below a detached one.
    private var isBelowDetached = false
    private var objection: Errno?
    private var isChanged = true
    private let total = Folder.Total()
    private let filesMax: Int
    private(set) var isFull = false

    init(
        _ settings: DirectorySettings, _ events: FolderEvents, _ descriptor: Int32,
        filesMax: Int = FeedLimits.filesMax
    ) throws(FeedError) {
        self.settings = settings
        self.events = events
        self.filesMax = filesMax
        guard let status = FileStatus(of: descriptor) else { throw FeedError.unreadable(settings.path, errno) }
        root = Folder(status.identity, of: total)
        watch(root, descriptor)
        do throws(Errno) { try read(root, descriptor) } catch {
            forget(root)
            throw FeedError.unreadable(settings.path, error.number)
        }
    }

    /// Removes the kernel's watches. The tree must not be used after that.
    func end() {
        for folder in [root] + detachedBefore + detached where !folder.isAttached { forget(folder) }
    }

    // MARK: - What is listed

    /// All items, if anything changed since the last call, or if they are wanted in any case.
    func takeItems(_ areWanted: Bool) -> [Item]? {
        guard isChanged || areWanted else { return nil }
        isChanged = false
        var numbered: Set<ItemID> = []
        return items(in: root, &numbered)
    }

    private func items(in folder: Folder, _ numbered: inout Set<ItemID>) -> [Item] {
        folder.members(in: settings.order).map { member in
            var item = Item(record: member.record(in: folder))
            if member.hasNumberedID {
                var (id, count) = (item.id, 1)
                while !numbered.insert(id).inserted {
                    count += 1
                    id = FileID.id(item.id, numbered: count)
                }
                if count > 1 { item = Item(id: id, kind: item.kind, content: item.content) }
            }
            if let inner = member.folder, member.problem == nil, inner.level < DirectorySettings.depthMax {
                item.children = items(in: inner, &numbered)
            }
            return item
        }
    }

    /// Why the list is incomplete or not kept up to date, and the remedy. The text does not depend on the number of folders,
    /// because each new text is reported.
    var problem: FeedError? {
        if isFull {
            return FeedError(
                "\(settings.path) contains more than \(grouped(filesMax)) files (filesMax), and the list lacks some of "
                    + "them: lower `depth`, or list another directory")
        }
        guard settings.every == nil, let objection, listed.values.contains(where: { $0.watch == nil })
        else { return nil }
        guard objection.number == ENOSPC else {
            return FeedError(
                "cannot watch some folders for changes (\(objection)): set `every` to list them periodically")
        }
        return FeedError(
            "cannot watch all folders for changes, because this user has reached the limit of the kernel: raise "
                + "fs.inotify.max_user_watches (sysctl), list fewer levels (`depth`), or set `every`")
    }

    /// Whether vanished folders may still be found elsewhere by another look.
    var isSearching: Bool { !detachedBefore.isEmpty }

    // MARK: - Looking again

    func update(_ changes: FolderEvents.Changes, _ descriptor: Int32) {
        var changes = changes
        isFull = false
        for watch in changes.ended {
            guard let folder = watched[watch] else { continue }
            // Another folder may have its name.
            if let parent = folder.parent?.watch { changes.names[parent, default: []].insert(folder.name) }
            end(folder)
        }
        if changes.isIncomplete {
            rescan(descriptor)
        } else {
            let whole = changes.whole.union(postponed)
            (postponed, isBehind, isBelowDetached) = ([], false, false)
            let folders = Set(changes.names.keys).union(whole).compactMap { watched[$0] }
            var later: [Folder] = []
            // Parents first, because they determine where their children are.
            for folder in folders.sorted(by: { $0.level < $1.level }) {
                if !updateFolder(folder, changes, whole, descriptor) { later.append(folder) }
            }
            for folder in later where !updateFolder(folder, changes, whole, descriptor) {
                // The folder was renamed after this event. The rename's own event will follow and give its place.
                if let watch = folder.watch { postponed.insert(watch) }
                if folder.isIn(root) { isBehind = true }
                if detached.contains(where: { folder !== $0 && folder.isIn($0) }) { isBelowDetached = true }
            }
        }
        forgetDetached()
    }

    func rescan(_ descriptor: Int32) {
        isFull = false
        (postponed, isBehind, isBelowDetached) = ([], false, false)
        var folders = [root]
        while let folder = folders.popLast() {
            // If a folder cannot be read, the folders below it fail too, and are postponed.
            defer { folders += folder.members.values.compactMap(\.folder) }
            let opened: Int32
            do throws(Errno) { opened = try folder.open(below: descriptor) } catch {
                if !error.isOfOtherPlace { setUnreadable(folder, error, descriptor) }
                continue
            }
            defer { close(opened) }
            // The event that it was replaced may have been lost.
            if folder.watch == nil || events.watch(opened) != folder.watch { watch(folder, opened) }
            readWhole(folder, opened)
            refresh(folder, opened)
        }
        forgetDetached()
    }

    private func updateFolder(
        _ folder: Folder, _ changes: FolderEvents.Changes, _ whole: Set<Int32>, _ descriptor: Int32
    ) -> Bool {
        guard let watch = folder.watch else { return true }
        guard folder.isIn(root) else { return false }
        let opened: Int32
        do throws(Errno) { opened = try folder.open(below: descriptor) } catch {
            guard !error.isOfOtherPlace else { return false }
            setUnreadable(folder, error, descriptor)
            return true
        }
        defer { close(opened) }
        if whole.contains(watch) {
            readWhole(folder, opened)
        } else {
            for name in changes.names[watch] ?? [] { updateMember(name, in: folder, opened) }
        }
        refresh(folder, opened)
        return true
    }

    private func setUnreadable(_ folder: Folder, _ error: Errno, _ descriptor: Int32) {
        if let above = try? folder.parent?.open(below: descriptor) {
            close(above)
            setUnreadable(folder, error)
        } else if let watch = folder.watch {
            postponed.insert(watch)
        }
    }

    /// Keeps the folder's content, which is read again when an event reports that it has become readable.
    private func setUnreadable(_ folder: Folder, _ error: Errno) {
        if let watch = folder.watch { postponed.insert(watch) }
        setProblem("it cannot be read: \(error)", of: folder)
    }

    private func setProblem(_ problem: String?, of folder: Folder) {
        guard let member = folder.parent?.members[folder.name], member.folder === folder else { return }
        setProblem(problem, of: member)
    }

    private func readWhole(_ folder: Folder, _ descriptor: Int32) {
        do throws(Errno) {
            try read(folder, descriptor)
            setProblem(nil, of: folder)
        } catch {
            setUnreadable(folder, error)
        }
    }

    /// Updates a folder's own status: its time is the time of the last change in it.
    private func refresh(_ folder: Folder, _ descriptor: Int32) {
        guard let parent = folder.parent, let member = parent.members[folder.name], member.folder === folder,
            let status = FileStatus(of: descriptor)
        else { return }
        set(status, of: member, in: parent)
    }

    private func set(_ status: FileStatus, of member: FolderMember, in folder: Folder) {
        guard status != member.status else { return }
        member.status = status
        folder.forgetOrder()
        isChanged = true
    }

    private func read(_ folder: Folder, _ descriptor: Int32) throws(Errno) {
        let (names, areMore) = try Folder.names(in: descriptor, max: filesMax)
        if areMore { noteFull(of: folder) }
        let isThere = Set(names)
        for name in folder.members.keys where !isThere.contains(name) { remove(name, from: folder) }
        for name in names { updateMember(name, in: folder, descriptor) }
    }

    private func updateMember(_ name: FileName, in folder: Folder, _ descriptor: Int32) {
        guard settings.showsHidden || name.first != UInt8(ascii: ".") else { return }
        guard let status = FileStatus(of: name, in: descriptor) else { return remove(name, from: folder) }
        if let member = folder.members[name] {
            if member.status.identity == status.identity, member.status.type == status.type {
                let isListed = member.folder?.watch != nil || (member.folder != nil && settings.every != nil)
                set(status, of: member, in: folder)
                if member.isFolder, !isListed { listIfIncluded(member, in: folder, descriptor) }
                return
            }
            remove(name, from: folder)
        }
        guard total.value < filesMax else { return noteFull(of: folder) }
        let member = FolderMember(name, status)
        folder.members[name] = member
        isChanged = true
        if member.isFolder { listIfIncluded(member, in: folder, descriptor) }
    }

    /// Leaves out files of a folder. The folder is read again each time, because there may be room later.
    private func noteFull(of folder: Folder) {
        isFull = true
        if let watch = folder.watch { postponed.insert(watch) }
    }

    // MARK: - Folders

    /// Lists a folder that was found, if it was listed elsewhere before, or if the depth includes it.
    private func listIfIncluded(_ member: FolderMember, in parent: Folder, _ descriptor: Int32) {
        let isKnown = listed[member.status.identity] != nil
        guard isKnown || parent.level + 1 < settings.depth else { return setProblem(nil, of: member) }
        do throws(FeedError) { try list(member, in: parent, descriptor, .found) } catch {
            setProblem(error.description, of: member)
        }
    }

    private func setProblem(_ problem: String?, of member: FolderMember) {
        guard member.problem != problem else { return }
        member.problem = problem
        isChanged = true
    }

    func list(
        _ member: FolderMember, in parent: Folder, _ descriptor: Int32, _ reason: Reason
    ) throws(FeedError) {
        let opened: Int32
        do throws(Errno) { opened = try Folder.open(member.name, in: descriptor) } catch {
            throw FeedError("it cannot be read: \(error)")
        }
        defer { close(opened) }
        guard let status = FileStatus(of: opened) else { return }
        if status.identity.device != root.identity.device, settings.every == nil,
            let objection = Mounts.now()?.objection(toDevice: status.identity.device)
        {
            throw FeedError("it \(objection): set `every`")
        }
        let folder = Folder(status.identity, of: total)
        if let known = listed[status.identity] {
            // The parents have moved, and an event of that will follow.
            guard !parent.isIn(known) else {
                if let watch = parent.watch { postponed.insert(watch) }
                isBehind = true
                return
            }
            // The number of a file may be reused soon; the number of a watch is not.
            if let watch = known.watch {
                let now = events.watch(opened)
                if now == watch { return attach(known, to: member, in: parent, opened) }
                end(known)
                guard reason == .asked || parent.level + 1 < settings.depth else {
                    if let now { events.unwatch(now) }
                    return setProblem(nil, of: member)
                }
            } else {
                detach(known)
                forget(known)
            }
        }
        folder.attach(to: parent, member.name)
        watch(folder, opened)
        let wasFull = isFull
        do throws(Errno) { try read(folder, opened) } catch {
            forget(folder)
            throw FeedError("it cannot be read: \(error)")
        }
        if reason == .asked, isFull, !wasFull {
            forget(folder)
            isFull = false
            throw FeedError(
                "the folder was not listed, because the list would have more than \(grouped(filesMax)) files (filesMax): lower "
                    + "`depth`, or add a feed for this folder")
        }
        member.folder = folder
        setProblem(nil, of: member)
        isChanged = true
        // Changes before the watch began were not reported.
        refresh(folder, opened)
    }

    private func attach(_ folder: Folder, to member: FolderMember, in parent: Folder, _ descriptor: Int32) {
        if member.folder === folder, folder.parent === parent { return }
        detach(folder)
        folder.attach(to: parent, member.name)
        member.folder = folder
        setProblem(nil, of: member)
        isChanged = true
        readAll(folder, descriptor)
    }

    /// Reads a folder and all listed folders below it. Their events may already have been skipped while they were detached.
    private func readAll(_ folder: Folder, _ descriptor: Int32) {
        readWhole(folder, descriptor)
        for member in folder.members.values {
            guard let inner = member.folder, inner.parent === folder else { continue }
            do throws(Errno) {
                let opened = try Folder.open(member.name, in: descriptor)
                defer { close(opened) }
                if FileStatus(of: opened)?.identity == inner.identity { readAll(inner, opened) }
            } catch {
                if !error.isOfOtherPlace { setUnreadable(inner, error) }
            }
        }
    }

    /// Forgets a deleted folder. Its subfolders may have been moved elsewhere.
    private func end(_ folder: Folder) {
        for name in Array(folder.members.keys) { remove(name, from: folder) }
        if let parent = folder.parent, parent.members[folder.name]?.folder === folder {
            parent.members[folder.name] = nil
            isChanged = true
        }
        folder.detach()
        forget(folder)
    }

    private func detach(_ folder: Folder) {
        if let member = folder.parent?.members[folder.name], member.folder === folder { member.folder = nil }
        folder.detach()
    }

    private func remove(_ name: FileName, from folder: Folder) {
        guard let member = folder.members.removeValue(forKey: name) else { return }
        isChanged = true
        guard let inner = member.folder else { return }
        inner.detach()
        detached.append(inner)
    }

    private func forgetDetached() {
        // A folder may have been moved into one that is not found yet.
        guard !isBehind else { return }
        if !isBelowDetached {
            for folder in detachedBefore where !folder.isAttached { forget(folder) }
            detachedBefore = []
        }
        (detachedBefore, detached) = (detachedBefore + detached, [])
    }

    private func forget(_ folder: Folder) {
        for member in folder.members.values {
            guard let inner = member.folder, inner.parent === folder else { continue }
            forget(inner)
        }
        if listed[folder.identity] === folder { listed[folder.identity] = nil }
        guard let watch = folder.watch, watched[watch] === folder else { return }
        watched[watch] = nil
        events.unwatch(watch)
    }

    private func watch(_ folder: Folder, _ descriptor: Int32) {
        listed[folder.identity] = folder
        guard let watch = events.watch(descriptor) else {
            objection = Errno(number: errno)
            return
        }
        if let old = folder.watch { watched[old] = nil }
        folder.watch = watch
        watched[watch] = folder
    }
}
