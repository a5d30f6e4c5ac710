import Diffable
import DiffableInput
import DiffableJSON
import Glibc

/// A file's name as the kernel has it: any bytes except `/` and zero.
typealias FileName = [UInt8]

/// A file's metadata, read without opening it. Symbolic links are not followed.
struct FileStatus: Equatable {
    enum FileType: String { case directory, file, link, other }

    /// Identifies a file independently of its name.
    struct Identity: Hashable {
        var device: UInt64
        var inode: UInt64
    }

    var identity: Identity
    var type: FileType
    /// Bytes; nil unless it is a regular file.
    var size: Int?
    /// Milliseconds since 1970.
    var modified: Int
    var target: [UInt8]?

    init(_ status: stat) {
        identity = Identity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
        switch status.st_mode & S_IFMT {
        case S_IFDIR: type = .directory
        case S_IFREG: (type, size) = (.file, Int(status.st_size))
        case S_IFLNK: type = .link
        default: type = .other
        }
        modified = status.st_mtim.tv_sec * 1_000 + status.st_mtim.tv_nsec / 1_000_000
    }

    /// Nil for a regular file.
    static func kind(of status: stat) -> String? {
        switch status.st_mode & S_IFMT {
        case S_IFREG: nil
        case S_IFDIR: "a directory"
        case S_IFIFO: "a FIFO"
        case S_IFSOCK: "a socket"
        default: "a device"
        }
    }

    init?(of name: FileName, in folder: Int32) {
        var status = stat()
        let path = name.map { CChar(bitPattern: $0) } + [0]
        guard fstatat(folder, path, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        self.init(status)
        guard type == .link else { return }
        var target = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let length = target.withUnsafeMutableBytes { readlinkat(folder, path, $0.baseAddress!, $0.count) }
        if length > 0 { self.target = Array(target[..<length]) }
    }

    init?(of descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }
}

final class FolderMember {
    let name: FileName
    let foldedName: [UInt8]
    var status: FileStatus { didSet { if status != oldValue { known = nil } } }
    var folder: Folder? { didSet { known = nil } }
    var problem: String? { didSet { if problem != oldValue { known = nil } } }
    /// The cached item, until something changes.
    private var known: Record?
    /// Whether another path could have the same id.
    private(set) var hasNumberedID = false

    init(_ name: FileName, _ status: FileStatus) {
        self.name = name
        self.status = status
        foldedName = FileNames.folded(name)
    }

    var isFolder: Bool { status.type == .directory }

    var type: [UInt8] {
        guard let dot = foldedName.lastIndex(of: UInt8(ascii: ".")), dot > 0 else { return [] }
        return Array(foldedName[(dot + 1)...])
    }

    func forgetItem() { known = nil }

    func record(in folder: Folder) -> Record {
        if let known { return known }
        let id = FileID.id(ofPath: folder.prefix + name)
        let record = Item(
            id: id, kind: Kind(stringLiteral: status.type.rawValue),
            content: content(mayOpen: folder.level + 1 < DirectorySettings.depthMax)
        ).record
        hasNumberedID = FileID.isNumbered(id)
        known = record
        return record
    }

    private func content(mayOpen: Bool) -> Content {
        var members: [(String, Content)] = [
            ("text", .string(Self.text(name))), ("type", .string(status.type.rawValue.utf8)),
        ]
        if let size = status.size { members.append(("size", .number(size))) }
        members.append(("modified", .number(status.modified)))
        if let target = status.target { members.append(("target", .string(Self.text(target)))) }
        if let problem {
            members.append(("problem", .string(problem.utf8)))
            members.append(("enabled", .false))
        } else if isFolder, folder == nil, mayOpen {
            members.append(("hasChildren", .true))
        }
        return .object(members)
    }

    private static func text(_ bytes: [UInt8]) -> [UInt8] { Array(String(decoding: bytes, as: UTF8.self).utf8) }
}
