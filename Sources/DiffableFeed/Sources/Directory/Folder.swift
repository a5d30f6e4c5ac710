import Files
import Glibc

final class Folder {
    let identity: FileStatus.Identity
    private(set) weak var parent: Folder?
    private(set) var name: FileName
    private(set) var level: Int
    /// The beginning of the paths of its members: empty, or with a slash at the end.
    private(set) var prefix: [UInt8]
    var members: [FileName: FolderMember] = [:] {
        didSet {
            sorted = nil
            total.value += members.count - counted
            counted = members.count
        }
    }
    /// The number of members in all folders of the tree, and this folder's share.
    private let total: Total
    private var counted = 0
    /// The inotify watch; nil if the kernel does not watch the folder.
    var watch: Int32?
    /// The members in order, until something changes.
    private var sorted: [FolderMember]?

    final class Total {
        fileprivate(set) var value = 0
    }

    init(_ identity: FileStatus.Identity, of total: Total) {
        self.identity = identity
        self.total = total
        (name, prefix, level) = ([], [], 0)
    }

    deinit { total.value -= counted }

    var isAttached: Bool { parent != nil }

    func attach(to parent: Folder, _ name: FileName) {
        self.parent = parent
        self.name = name
        place()
    }

    func detach() { parent = nil }

    func isIn(_ other: Folder) -> Bool { self === other || parent?.isIn(other) ?? false }

    private func place() {
        guard let parent else { return }
        (level, prefix) = (parent.level + 1, parent.prefix + name + [UInt8(ascii: "/")])
        for member in members.values {
            member.forgetItem()
            member.folder?.place()
        }
    }

    func forgetOrder() { sorted = nil }

    func members(in order: FolderOrder) -> [FolderMember] {
        if let sorted { return sorted }
        let members = members.values.sorted(by: order.precedes)
        sorted = members
        return members
    }

    // MARK: - Opening

    /// O_PATH, which Swift does not import. It opens directories that may be traversed but not read.
    private static let pathOnly: Int32 = 0o10_000_000

    /// Opens the top folder. On the way to it, only links of root and of this user are followed.
    static func open(path: String) throws(FeedError) -> Int32 {
        let place: FollowedPath
        do throws(UntrustedPath) { place = try FollowedPath(path) } catch {
            guard let number = error.number else { throw FeedError("the directory \(path) cannot be read: \(error)") }
            throw FeedError.unreadable(path, number)
        }
        defer { close(place.descriptor) }
        let descriptor = openat(place.descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw FeedError.unreadable(path, errno) }
        do throws(Errno) { return try searchable(descriptor) } catch { throw FeedError.unreadable(path, error.number) }
    }

    /// Returns the descriptor if the folder can be searched, and otherwise closes it: a folder whose names alone can be read is
    /// not enough.
    private static func searchable(_ descriptor: Int32) throws(Errno) -> Int32 {
        var status = stat()
        guard fstatat(descriptor, ".", &status, 0) == 0 else {
            let error = Errno(number: errno)
            close(descriptor)
            throw error
        }
        return descriptor
    }

    /// Opens a subfolder by name, and never follows a symbolic link. Throws an error's number, even if only the names in it can
    /// be read.
    static func open(_ name: FileName, in folder: Int32, _ flags: Int32 = 0) throws(Errno) -> Int32 {
        let path = name.map { CChar(bitPattern: $0) } + [0]
        let descriptor = openat(folder, path, O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | flags)
        guard descriptor >= 0 else { throw Errno(number: errno) }
        return flags & pathOnly == 0 ? try searchable(descriptor) : descriptor
    }

    /// Opens the folder through its ancestors, from the top folder `root` on. None of them may be a symbolic link. Throws an
    /// error's number, even if the folder has moved.
    func open(below root: Int32) throws(Errno) -> Int32 {
        guard let parent else {
            // A duplicate descriptor would share the directory's read position.
            return try Self.open([UInt8(ascii: ".")], in: root)
        }
        let above = try parent.path(below: root)
        defer { if above != root { close(above) } }
        let descriptor = try Self.open(name, in: above)
        guard FileStatus(of: descriptor)?.identity == identity else {
            close(descriptor)
            throw Errno(number: ENOENT)
        }
        return descriptor
    }

    /// A descriptor for opening entries of this folder; for the top folder, `root` itself.
    private func path(below root: Int32) throws(Errno) -> Int32 {
        guard let parent else { return root }
        let above = try parent.path(below: root)
        defer { if above != root { close(above) } }
        return try Self.open(name, in: above, Self.pathOnly)
    }

    /// Reads the names in an open folder. Throws an error's number. Returns at most `max` names, and whether the folder has more.
    static func names(in folder: Int32, max: Int) throws(Errno) -> (names: [FileName], areMore: Bool) {
        let copy = dup(folder)
        guard copy >= 0 else { throw Errno(number: errno) }
        guard let stream = fdopendir(copy) else {
            close(copy)
            throw Errno(number: errno)
        }
        defer { closedir(stream) }
        rewinddir(stream)
        var names: [FileName] = []
        while true {
            errno = 0
            guard let item = readdir(stream) else {
                guard errno == 0 else { throw Errno(number: errno) }
                return (names, false)
            }
            let offset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
            let start = UnsafeRawPointer(item) + offset
            let name = FileName(
                UnsafeRawBufferPointer(start: start, count: strlen(start.assumingMemoryBound(to: CChar.self))))
            if name == [UInt8(ascii: ".")] || name == Array("..".utf8) { continue }
            if names.count == max { return (names, true) }
            names.append(name)
        }
    }
}

/// An error number of errno(3).
struct Errno: Error, CustomStringConvertible {
    var number: Int32

    /// Whether the error means that the file is not at its place.
    var isOfOtherPlace: Bool { [ENOENT, ENOTDIR, ELOOP].contains(number) }

    var description: String { String(cString: strerror(number)) }
}
