import Diffable
import DiffableInput
import Glibc

extension FolderTree {
    /// Why a folder is to be listed.
    enum Reason {
        /// It is there, and is listed if it was, or if the settings say so.
        case found
        /// Somebody wants to see what is in it.
        case asked
    }

    /// Lists the folder of this id, because somebody wants to see what is in it. It stays listed until it vanishes.
    func open(_ id: ItemID, _ descriptor: Int32) throws(FeedError) {
        guard let (member, parent) = member(id, in: root) else {
            throw FeedError("\(quoted(id)) is not in \(settings.path) any more")
        }
        guard member.isFolder else { throw FeedError("\(quoted(id)) is no folder") }
        if member.folder != nil, let problem = member.problem {
            throw FeedError("the folder \(quoted(id)): \(problem)")
        }
        guard member.folder == nil else { return }
        guard parent.level + 1 < DirectorySettings.depthMax else {
            throw FeedError("a list has \(DirectorySettings.depthMax) levels, and \(quoted(id)) is on the last")
        }
        guard let opened = try? parent.open(below: descriptor) else {
            throw FeedError("the folder \(quoted(id)) is not where it was; it is looked for")
        }
        defer { close(opened) }
        do throws(FeedError) { try list(member, in: parent, opened, .asked) } catch {
            throw FeedError("the folder \(quoted(id)): \(error)")
        }
    }

    private func member(_ id: ItemID, in folder: Folder) -> (FolderMember, Folder)? {
        for member in folder.members.values {
            let known = Item(record: member.record(in: folder)).id
            if known == id { return (member, folder) }
            guard let inner = member.folder, FileID.mayBe(id, below: known) else { continue }
            if let found = self.member(id, in: inner) { return found }
        }
        return nil
    }

    /// What is listed beside the folder at the top, those above first.
    var listedFolders: [ItemID] {
        var (ids, folders) = ([ItemID](), [root])
        while let folder = folders.popLast() {
            for member in folder.members.values {
                guard let inner = member.folder else { continue }
                ids.append(Item(record: member.record(in: folder)).id)
                folders.append(inner)
            }
        }
        return ids
    }
}

extension FeedError {
    static func gone(_ path: String) -> FeedError {
        FeedError("the directory \(path) is gone; it is listed again as soon as there is one")
    }

    static func unreadable(_ path: String, _ error: Int32) -> FeedError {
        if error == ENOENT {
            return FeedError("the directory \(path) is not there yet; it is listed as soon as it comes")
        }
        if error == ENOTDIR { return FeedError("\(path) is no directory") }
        return FeedError("the directory \(path) cannot be read: \(String(cString: strerror(error)))")
    }
}
