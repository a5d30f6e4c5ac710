import Diffable
import DiffableInput
import Glibc

/// A folder and what is listed below it, kept like what is on the disk by what the kernel tells.
///
/// Each name that something happened to is looked at again, so that the order of events is of no account. A folder is known by
/// the number of its watch, which goes with it wherever it is renamed to. Folders are opened one below the other, so that a
/// symbolic link that takes a folder's place leads nowhere.
final class FolderTree {
    let settings: DirectorySettings
    private let events: FolderEvents
    let root: Folder
    /// Folders by the numbers of their watches.
    private var watched: [Int32: Folder] = [:]
    private var listed: [FileStatus.Identity: Folder] = [:]
    /// Are not where they were, and may be found somewhere else: where they are now may have been told of after the last look.
    private var detached: [Folder] = []
    /// The same, but since before the last look.
    private var detachedBefore: [Folder] = []
    /// Those that were not where they were, or could not be read, when something in them was to be looked at, and those of
    /// `detached`.
    private var postponed: Set<Int32> = []
    /// Whether one is not where it is to be.
    private var isBehind = false
    /// Whether one is below a folder of `detached`.
    private var isBelowDetached = false
    /// Why the kernel does not watch all that is listed.
    private var objection: Errno?
    /// Whether anything is different from what was asked for last.
    private var isChanged = true

    /// - Parameter descriptor: of the folder, open.
    init(_ settings: DirectorySettings, _ events: FolderEvents, _ descriptor: Int32) throws(FeedError) {
        self.settings = settings
        self.events = events
        guard let status = FileStatus(of: descriptor) else { throw FeedError.unreadable(settings.path, errno) }
        root = Folder(status.identity, watch: nil)
        watch(root, descriptor)
        do throws(Errno) { try read(root, descriptor) } catch {
            forget(root)
            throw FeedError.unreadable(settings.path, error.number)
        }
    }

    /// Gives back what the kernel watches. Nothing may be asked of it then.
    func end() {
        for folder in [root] + detachedBefore + detached where !folder.isAttached { forget(folder) }
    }

    // MARK: - What is listed

    /// All items, if anything is different from those that were taken last, or if they are wanted in any case.
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
                    id = FileID.id(item.id, again: count)
                }
                if count > 1 { item = Item(id: id, kind: item.kind, content: item.content) }
            }
            if let inner = member.folder, member.problem == nil, inner.level < DirectorySettings.depthMax {
                item.children = items(in: inner, &numbered)
            }
            return item
        }
    }

    /// What is not kept up to date, and what to do about it. It is the same sentence however many folders there are, because
    /// each other one is told of anew.
    var problem: FeedError? {
        guard settings.every == nil, let objection, listed.values.contains(where: { $0.watch == nil })
        else { return nil }
        guard objection.number == ENOSPC else {
            return FeedError("changes in some folders are not seen (\(objection)): say `every`")
        }
        return FeedError(
            "changes in some folders are not seen, because the kernel watches no more of them for this user: raise "
                + "fs.inotify.max_user_watches (sysctl), list less by `depth`, or say `every`")
    }

    /// Whether folders have vanished that may be somewhere else: another look says so.
    var isSearching: Bool { !detachedBefore.isEmpty }

    // MARK: - Looking again

    /// - Parameter descriptor: of the folder at the top, open.
    func update(_ changes: FolderEvents.Changes, _ descriptor: Int32) {
        var changes = changes
        for watch in changes.ended {
            guard let folder = watched[watch] else { continue }
            // Another may have its name.
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
            // What is above says where those below it are.
            for folder in folders.sorted(by: { $0.level < $1.level }) {
                if !look(folder, changes, whole, descriptor) { later.append(folder) }
            }
            for folder in later where !look(folder, changes, whole, descriptor) {
                // It was renamed after that was told: it is told of soon, and its place is known then.
                if let watch = folder.watch { postponed.insert(watch) }
                if folder.isIn(root) { isBehind = true }
                if detached.contains(where: { folder !== $0 && folder.isIn($0) }) { isBelowDetached = true }
            }
        }
        forgetDetached()
    }

    /// Looks at all that is listed.
    func rescan(_ descriptor: Int32) {
        (postponed, isBehind, isBelowDetached) = ([], false, false)
        var folders = [root]
        while let folder = folders.popLast() {
            // If it cannot be read, those below it are not looked at either, and are to be when it can.
            defer { folders += folder.members.values.compactMap(\.folder) }
            let opened: Int32
            do throws(Errno) { opened = try folder.open(below: descriptor) } catch {
                if !error.isOfOtherPlace { setUnreadable(folder, error, descriptor) }
                continue
            }
            defer { close(opened) }
            // That it is another one was perhaps not told.
            if folder.watch == nil || events.watch(opened) != folder.watch { watch(folder, opened) }
            readWhole(folder, opened)
            refresh(folder, opened)
        }
        forgetDetached()
    }

    /// Whether the folder was found where it is to be.
    private func look(
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
            for name in changes.names[watch] ?? [] { look(name, in: folder, opened) }
        }
        refresh(folder, opened)
        return true
    }

    private func setUnreadable(_ folder: Folder, _ error: Errno, _ descriptor: Int32) {
        if let above = try? folder.parent?.open(below: descriptor) {
            close(above)
            setUnreadable(folder, error)
        } else if let watch = folder.watch {
            // It is one above that cannot be read.
            postponed.insert(watch)
        }
    }

    /// What is in it is known still, and listed when it can be read again: that is told.
    private func setUnreadable(_ folder: Folder, _ error: Errno) {
        if let watch = folder.watch { postponed.insert(watch) }
        setProblem("it cannot be read: \(error)", of: folder)
    }

    private func setProblem(_ problem: String?, of folder: Folder) {
        guard let member = folder.parent?.members[folder.name], member.folder === folder else { return }
        setProblem(problem, of: member)
    }

    /// Reads a folder that is listed.
    private func readWhole(_ folder: Folder, _ descriptor: Int32) {
        do throws(Errno) {
            try read(folder, descriptor)
            setProblem(nil, of: folder)
        } catch {
            setUnreadable(folder, error)
        }
    }

    /// The time of a folder is that of what was last made or deleted in it.
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
        let names = try Folder.names(in: descriptor)
        let isThere = Set(names)
        for name in folder.members.keys where !isThere.contains(name) { remove(name, from: folder) }
        for name in names { look(name, in: folder, descriptor) }
    }

    private func look(_ name: FileName, in folder: Folder, _ descriptor: Int32) {
        guard settings.showsHidden || name.first != UInt8(ascii: ".") else { return }
        guard let status = FileStatus(of: name, in: descriptor) else { return remove(name, from: folder) }
        if let member = folder.members[name] {
            if member.status.identity == status.identity, member.status.sort == status.sort {
                let isListed = member.folder?.watch != nil || (member.folder != nil && settings.every != nil)
                set(status, of: member, in: folder)
                if member.isFolder, !isListed { settle(member, in: folder, descriptor) }
                return
            }
            remove(name, from: folder)
        }
        let member = FolderMember(name, status)
        folder.members[name] = member
        isChanged = true
        if member.isFolder { settle(member, in: folder, descriptor) }
    }

    // MARK: - Folders

    /// A folder that was found: the one that was elsewhere, or one that is listed from the beginning.
    private func settle(_ member: FolderMember, in parent: Folder, _ descriptor: Int32) {
        let isKnown = listed[member.status.identity] != nil
        guard isKnown || parent.level + 1 < settings.depth else { return setProblem(nil, of: member) }
        do throws(FeedError) { try list(member, in: parent, descriptor, .found) } catch {
            setProblem(error.description, of: member)
        }
    }

    /// Why a folder cannot be listed.
    private func setProblem(_ problem: String?, of member: FolderMember) {
        guard member.problem != problem else { return }
        member.problem = problem
        isChanged = true
    }

    /// Lists a folder, unless it is listed already.
    ///
    /// - Parameter descriptor: of the folder above, open.
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
            throw FeedError("it \(objection): say `every`")
        }
        let folder = Folder(status.identity, watch: nil)
        if let known = listed[status.identity] {
            // Those above are elsewhere by now, of which is told soon.
            guard !parent.isIn(known) else {
                if let watch = parent.watch { postponed.insert(watch) }
                isBehind = true
                return
            }
            // A number of a file may be another's soon after; that of a watch is not.
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
        do throws(Errno) { try read(folder, opened) } catch {
            forget(folder)
            throw FeedError("it cannot be read: \(error)")
        }
        member.folder = folder
        setProblem(nil, of: member)
        isChanged = true
        // What happened before it was watched was not told.
        refresh(folder, opened)
    }

    /// A folder that was elsewhere.
    private func attach(_ folder: Folder, to member: FolderMember, in parent: Folder, _ descriptor: Int32) {
        if member.folder === folder, folder.parent === parent { return }
        detach(folder)
        folder.attach(to: parent, member.name)
        member.folder = folder
        setProblem(nil, of: member)
        isChanged = true
        readAll(folder, descriptor)
    }

    /// Reads a folder and all that are listed below it: what happened in them while they were elsewhere may be known already, and
    /// was not to be looked at then.
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

    /// It is gone. What was in it may be somewhere else.
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
        // As long as a folder is not found where it is to be, what was moved into it is not either.
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
