import Diffable
import Foundation
import Glibc

@testable import DiffableFeed

/// Compares a directory with its list by reading everything again.
struct NaiveFolder {
    let path: String
    let depth: Int
    /// The inodes of opened folders.
    var opened: Set<UInt64> = []

    /// Returns the difference, or nil if there is none. Names have to be sorted by their bytes.
    func difference(from items: [Item]) -> String? { difference(from: items, in: "", level: 1) }

    private func difference(from items: [Item], in folder: String, level: Int) -> String? {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(path)/\(folder)")) ?? []
        let wanted = names.map { (name: $0, status: status("\(folder)\($0)")) }
            .sorted { a, b in
                let (isFolderA, isFolderB) = (sort(a.status) == "directory", sort(b.status) == "directory")
                return isFolderA == isFolderB ? a.name < b.name : isFolderA
            }
        let listed = items.map { "\($0.id)" }
        guard listed == wanted.map({ folder + $0.name }) else {
            return "\(folder): \(listed), not \(wanted.map(\.name))"
        }
        for (item, (name, status)) in zip(items, wanted) {
            let id = folder + name
            guard item.kind?.description == sort(status), item.member("text") == name else { return "\(id): the kind" }
            let isClosed = item.member("hasChildren") != nil
            if sort(status) == "file", item.member("size") != "\(status.st_size)" { return "\(id): the size" }
            let modified = status.st_mtim.tv_sec * 1_000 + status.st_mtim.tv_nsec / 1_000_000
            // A closed folder gets no events of its contents.
            if !isClosed, item.member("modified") != "\(modified)" { return "\(id): the time" }
            guard sort(status) == "directory" else { continue }
            if isClosed {
                if level < depth || opened.contains(UInt64(status.st_ino)) { return "\(id) is closed" }
                if !item.children.isEmpty { return "\(id) has children" }
            } else if let inner = difference(from: item.children, in: "\(id)/", level: level + 1) {
                return inner
            }
        }
        return nil
    }

    // MARK: - The contents

    func status(_ name: String) -> stat {
        var status = stat()
        lstat("\(path)/\(name)", &status)
        return status
    }

    private func sort(_ status: stat) -> String {
        switch status.st_mode & S_IFMT {
        case S_IFDIR: "directory"
        case S_IFREG: "file"
        case S_IFLNK: "link"
        default: "other"
        }
    }

    /// Returns the paths of all files and folders, or of all folders.
    func paths(ofFoldersOnly: Bool) -> [String] {
        let all = FileManager.default.subpaths(atPath: path) ?? []
        return all.filter { !ofFoldersOnly || sort(status($0)) == "directory" }.sorted()
    }

    mutating func open(_ name: String) { opened.insert(UInt64(status(name).st_ino)) }

    /// Notes that a folder was renamed. A closed folder's new contents are not listed.
    mutating func move(to name: String) {
        let above = name.split(separator: "/").map(String.init).dropLast()
        for level in above.indices {
            let isListed =
                level + 1 < depth || opened.contains(UInt64(status(above[...level].joined(separator: "/")).st_ino))
            if !isListed { return forget(name) }
        }
    }

    /// Notes that a folder will be deleted, because another one may get its inode number.
    mutating func forget(_ name: String) {
        for path in paths(ofFoldersOnly: true) where path == name || path.hasPrefix("\(name)/") {
            opened.remove(UInt64(status(path).st_ino))
        }
    }
}
