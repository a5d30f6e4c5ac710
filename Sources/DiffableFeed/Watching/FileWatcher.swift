import DiffableInput
import Dispatch
import Glibc
import Synchronization

/// Tells of changes of files by inotify(7): one descriptor and one thread for all feeds, which sleeps while nothing happens.
///
/// A path is watched itself, and so is the directory that it stands in, or the nearest one above that is there: a file that is
/// replaced by another, or comes later, is still the one that was named.
package final class FileWatcher: Sendable {
    /// Whoever is told of changes of some paths.
    private struct Audience {
        var paths: [String]
        /// Whether what happens in them is left out, and they are followed only as they come and go.
        var isOfPlaces = false
        var tell: @Sendable () -> Void
        /// Why the kernel does not tell of all of them.
        var problem: String?
    }

    private struct State {
        var audiences: [Int: Audience] = [:]
        var lastNumber = 0
        /// What the kernel watches, each with those who asked for it and the name in the directory that they mean; nil for all.
        var watches: [Int32: [(audience: Int, name: String?)]] = [:]
    }

    /// After which it is worth to ask again for what the kernel would not watch.
    private static let retryPause = Duration.seconds(30)

    private let descriptor: Int32
    private let state = Mutex(State())

    package init() throws(InputError) {
        descriptor = inotify_init1(Int32(IN_CLOEXEC))
        guard descriptor >= 0 else {
            throw InputError("files cannot be watched: \(String(cString: strerror(errno)))")
        }
    }

    /// Reads what the kernel tells, for ever. To be called once.
    package func start() {
        DispatchQueue(label: "file watcher").async { self.read() }
    }

    /// Calls back after each change of one of the paths, until the ticket is given back. Also when changes may have been missed.
    package func watch(_ paths: [String], _ tell: @escaping @Sendable () -> Void) -> Int {
        add(Audience(paths: paths, tell: tell))
    }

    /// The same, but what is written to the files or happens in the directories themselves is left out: only that they come, go,
    /// or are others.
    package func watchPlaces(of paths: [String], _ tell: @escaping @Sendable () -> Void) -> Int {
        add(Audience(paths: paths, isOfPlaces: true, tell: tell))
    }

    /// Why the kernel does not tell of all changes that somebody asked for; nil when it does. Asks it again if it did not.
    package func problem(of ticket: Int) -> String? {
        state.withLock { state in
            if state.audiences[ticket]?.problem != nil { place(ticket, &state) }
            return state.audiences[ticket]?.problem
        }
    }

    /// When somebody looks again who hears of changes until then.
    ///
    /// - Parameters:
    ///   - next: when it is time anyway; nil: only after a change.
    ///   - isBlind: whether the kernel does not tell of all changes.
    static func nextLook(_ next: ContinuousClock.Instant?, isBlind: Bool) -> ContinuousClock.Instant? {
        guard isBlind else { return next }
        let retry = ContinuousClock.now + retryPause
        return min(next ?? retry, retry)
    }

    private func add(_ audience: Audience) -> Int {
        state.withLock { state in
            state.lastNumber += 1
            state.audiences[state.lastNumber] = audience
            place(state.lastNumber, &state)
            return state.lastNumber
        }
    }

    package func stop(_ ticket: Int) {
        state.withLock { state in
            state.audiences[ticket] = nil
            for (watch, asked) in state.watches {
                let rest = asked.filter { $0.audience != ticket }
                if rest.count == asked.count { continue }
                state.watches[watch] = rest.isEmpty ? nil : rest
                if rest.isEmpty { inotify_rm_watch(descriptor, watch) }
            }
        }
    }
}

// MARK: - Watches

extension FileWatcher {
    private static let changes = UInt32(
        IN_CLOSE_WRITE | IN_MODIFY | IN_ATTRIB | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF
            | IN_MOVE_SELF)
    /// Of a directory on the way: what others write to files in it wakes nobody.
    private static let changesOnTheWay = UInt32(
        IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF)
    /// After which a path may be another file.
    private static let moves = UInt32(
        IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED)

    /// After which it is another directory, or none, that is watched.
    private static let ends = UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_UNMOUNT)

    /// Asks for what an audience has to hear. Those that are asked for twice are one to the kernel.
    private func place(_ number: Int, _ state: inout State) {
        guard let audience = state.audiences[number] else { return }
        state.audiences[number]?.problem = nil
        // What a symbolic link leads to may be replaced where it is.
        let ends = audience.paths.compactMap { realpath($0, nil) }
        defer { for end in ends { free(end) } }
        for path in Set(audience.paths + ends.map { String(cString: $0) }) {
            watchWay(to: path, number, &state)
            if !audience.isOfPlaces { add(path, name: nil, number, &state) }
        }
    }

    /// On the way to a path: the first directory that is there, and which name in it is meant.
    private func watchWay(to path: String, _ number: Int, _ state: inout State) {
        // Each time further down, unless somebody deletes and makes directories all the time, of which is told.
        for _ in 0..<64 {
            var (directory, name) = (WatchedPath.directory(of: path), WatchedPath.name(of: path))
            var isLast = true
            while directory != "/", access(directory, F_OK) != 0 {
                (directory, name) = (WatchedPath.directory(of: directory), WatchedPath.name(of: directory))
                isLast = false
            }
            let isWatched = add(directory, name: name, number, &state)
            // What came or went before it was watched is not told.
            if isWatched, isLast || access("\(directory)/\(name)", F_OK) != 0 { return }
        }
    }

    /// - Returns: whether it is watched.
    @discardableResult
    private func add(_ path: String, name: String?, _ number: Int, _ state: inout State) -> Bool {
        // One that is watched already goes on hearing what it heard.
        let changes = (name == nil ? Self.changes : Self.changesOnTheWay) | UInt32(IN_MASK_ADD)
        let watch = inotify_add_watch(descriptor, path, changes)
        guard watch >= 0 else {
            // What is not there, or may not be read, is watched where it may come.
            if errno == ENOSPC || errno == ENOMEM { state.audiences[number]?.problem = Self.limit(path) }
            return false
        }
        let isKnown = state.watches[watch]?.contains { $0.audience == number && $0.name == name } ?? false
        if !isKnown { state.watches[watch, default: []].append((number, name)) }
        return true
    }

    private static func limit(_ path: String) -> String {
        "the kernel tells of no changes of \(path), because it watches as many files as it may for a user: raise "
            + "fs.inotify.max_user_watches (sysctl), or say `every`"
    }

    private func read() {
        let length = 1 << 16
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: length, alignment: 8)
        defer { buffer.deallocate() }
        while true {
            let count = Glibc.read(descriptor, buffer.baseAddress, length)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            hear(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    private func hear(_ events: UnsafeRawBufferPointer) {
        let due = state.withLock { state in
            var due: Set<Int> = []
            /// Whose paths may be elsewhere now.
            var moved: Set<Int> = []
            var offset = 0
            let header = MemoryLayout<inotify_event>.size
            while offset + header <= events.count {
                let event = events.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                let bytes = events[offset + header..<offset + header + Int(event.len)]
                offset += header + Int(event.len)
                let name = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                if event.mask & UInt32(IN_Q_OVERFLOW) != 0 {
                    due.formUnion(state.audiences.keys)
                    moved.formUnion(state.audiences.keys)
                    continue
                }
                // What happens to a directory on the way happens to all that is meant in it.
                let isOfAll = event.mask & Self.ends != 0
                for asked in state.watches[event.wd] ?? [] where isOfAll || asked.name == nil || asked.name == name {
                    due.insert(asked.audience)
                    if event.mask & Self.moves != 0 {
                        moved.insert(asked.audience)
                    }
                }
                if event.mask & UInt32(IN_IGNORED) != 0 { state.watches[event.wd] = nil }
            }
            for number in moved { place(number, &state) }
            return due.compactMap { state.audiences[$0]?.tell }
        }
        for tell in due { tell() }
    }
}
