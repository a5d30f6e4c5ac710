import Diffable
import DiffableInput
import Glibc

extension FolderTree {
    enum Reason {
        /// It was found. It is listed if it was listed before, or if the depth includes it.
        case found
        /// A user asked for its content.
        case asked
    }

    /// Lists a folder on request. It stays listed until it vanishes.
    func open(_ id: ItemID, _ descriptor: Int32) throws(FeedError) {
        guard let (member, parent) = member(id, in: root) else {
            throw FeedError("\(quoted(id)) is no longer in \(settings.path)")
        }
        guard member.isFolder else { throw FeedError("\(quoted(id)) is not a folder") }
        if member.folder != nil, let problem = member.problem {
            throw FeedError("the folder \(quoted(id)): \(problem)")
        }
        guard member.folder == nil else { return }
        guard parent.level + 1 < DirectorySettings.depthMax else {
            throw FeedError("\(quoted(id)) cannot be expanded: a list has at most \(DirectorySettings.depthMax) levels")
        }
        guard let opened = try? parent.open(below: descriptor) else {
            throw FeedError("the folder \(quoted(id)) was moved or deleted; searching for it")
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

    /// The listed folders except the top one, parents first.
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
        FeedError("the directory \(path) was moved or deleted; it is listed again when it is back")
    }

    static func unreadable(_ path: String, _ error: Int32) -> FeedError {
        if error == ENOENT {
            return FeedError("there is no directory \(path) yet; it is listed when it appears")
        }
        if error == ENOTDIR { return FeedError("\(path) is not a directory; it is listed when it is one") }
        return FeedError("the directory \(path) cannot be read: \(String(cString: strerror(error)))")
    }
}
