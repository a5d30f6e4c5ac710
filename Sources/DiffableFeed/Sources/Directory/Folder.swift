import Glibc

/// A folder that is listed. The one at the top has no parent.
final class Folder {
    let identity: FileStatus.Identity
    private(set) weak var parent: Folder?
    /// In its parent.
    private(set) var name: FileName
    private(set) var level: Int
    /// The path of what is in it begins so: empty, or with a slash at the end.
    private(set) var prefix: [UInt8]
    var members: [FileName: FolderMember] = [:] { didSet { sorted = nil } }
    /// By which the kernel tells of it; nil when it does not.
    var watch: Int32?
    /// As long as nothing in it changes.
    private var sorted: [FolderMember]?

    init(_ identity: FileStatus.Identity, watch: Int32?) {
        self.identity = identity
        self.watch = watch
        (name, prefix, level) = ([], [], 0)
    }

    /// Whether it is in its place, and not about to be forgotten.
    var isAttached: Bool { parent != nil }

    func attach(to parent: Folder, _ name: FileName) {
        self.parent = parent
        self.name = name
        place()
    }

    func detach() { parent = nil }

    /// Whether it is another folder, or anywhere below it.
    func isIn(_ other: Folder) -> Bool { self === other || parent?.isIn(other) ?? false }

    /// It is somewhere else, so that all below it have other paths.
    private func place() {
        guard let parent else { return }
        (level, prefix) = (parent.level + 1, parent.prefix + name + [UInt8(ascii: "/")])
        for member in members.values {
            member.forgetItem()
            member.folder?.place()
        }
    }

    /// A status is another one.
    func forgetOrder() { sorted = nil }

    func members(in order: FolderOrder) -> [FolderMember] {
        if let sorted { return sorted }
        let members = members.values.sorted(by: order.precedes)
        sorted = members
        return members
    }

    // MARK: - Opening

    /// O_PATH, which Swift does not import: for what may be gone through and not read.
    private static let pathOnly: Int32 = 0o10_000_000

    /// Opens the folder at the top, which may be a symbolic link.
    static func open(path: String) throws(FeedError) -> Int32 {
        let descriptor = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw FeedError.unreadable(path, errno) }
        do throws(Errno) { return try searchable(descriptor) } catch { throw FeedError.unreadable(path, error.number) }
    }

    /// The same descriptor, if more than names can be read in the folder; otherwise it is closed.
    private static func searchable(_ descriptor: Int32) throws(Errno) -> Int32 {
        var status = stat()
        guard fstatat(descriptor, ".", &status, 0) == 0 else {
            let error = Errno(number: errno)
            close(descriptor)
            throw error
        }
        return descriptor
    }

    /// Opens the folder of this name below one that is open; never a symbolic link. Throws an error's number, also when only names
    /// can be read in it.
    static func open(_ name: FileName, in folder: Int32, _ flags: Int32 = 0) throws(Errno) -> Int32 {
        let path = name.map { CChar(bitPattern: $0) } + [0]
        let descriptor = openat(folder, path, O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | flags)
        guard descriptor >= 0 else { throw Errno(number: errno) }
        return flags & pathOnly == 0 ? try searchable(descriptor) : descriptor
    }

    /// Opens it by way of those above it, none of which can be a symbolic link that leads elsewhere. Throws an error's number, also
    /// when it is not where it was.
    ///
    /// - Parameter root: the folder at the top, open.
    func open(below root: Int32) throws(Errno) -> Int32 {
        guard let parent else {
            // Not a copy of the descriptor, which would share its place in what is read.
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

    /// It as a way to what is in it; for the one at the top that is `root`.
    private func path(below root: Int32) throws(Errno) -> Int32 {
        guard let parent else { return root }
        let above = try parent.path(below: root)
        defer { if above != root { close(above) } }
        return try Self.open(name, in: above, Self.pathOnly)
    }

    /// The names in an open folder. Throws an error's number.
    static func names(in folder: Int32) throws(Errno) -> [FileName] {
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
                return names
            }
            let offset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
            let start = UnsafeRawPointer(item) + offset
            let name = FileName(
                UnsafeRawBufferPointer(start: start, count: strlen(start.assumingMemoryBound(to: CChar.self))))
            if name != [UInt8(ascii: ".")], name != Array("..".utf8) { names.append(name) }
        }
    }
}

/// A number of errno(3).
struct Errno: Error, CustomStringConvertible {
    var number: Int32

    /// Whether it says that what is meant is not there.
    var isOfOtherPlace: Bool { [ENOENT, ENOTDIR, ELOOP].contains(number) }

    var description: String { String(cString: strerror(number)) }
}
