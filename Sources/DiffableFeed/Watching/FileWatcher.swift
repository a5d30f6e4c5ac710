import Dispatch
import Glibc
import Synchronization

/// Reports changes of files with inotify(7): one descriptor and one thread for all feeds, which sleeps while nothing changes.
///
/// A watched path is resolved as the kernel does it (`ResolvedPath`). The directories of links and of the last name are watched
/// for these names only; the other directories on the way are watched for their own end. So a file is still followed when it is
/// replaced or created later, when a link on the way is changed, and when a directory above it is renamed. Other changes in
/// /tmp or in a home directory above it wake nothing. inotify does not report mounts, so the thread also waits for changes of
/// /proc/self/mountinfo, and then compares where each path leads.
package final class FileWatcher: Sendable {
    private struct Watcher {
        var paths: [String]
        /// Suffixes of further files in the directory of each path's real file, such as `-wal`.
        var suffixes: [String] = []
        /// Whether the caller is notified only of a different file at a path, and not of changes in a file.
        var isOfPlaces = false
        var tell: @Sendable () -> Void
        var places = WatchedPlaces()
        /// Why the kernel does not report all changes.
        var problem: String?
        /// Whether the paths are compared regularly, because a directory on the way is unreadable and so cannot be
        /// watched.
        var isComparedRegularly = false
    }

    private struct WatchedPlaces: Equatable {
        var paths: [ResolvedPath] = []
        var mounts: [String] = []
    }

    private struct Request: Equatable {
        var audience: Int
        /// The name in the directory that is meant; nil for all.
        var name: String?
        var mask: UInt32
    }

    private struct State {
        /// Negative until the first path is watched.
        var inotify: Int32 = -1
        var mounts: Int32 = -1
        /// The mounts as they were when that was reported last.
        var table: Mounts?
        var isStarted = false
        /// Whether the paths will be compared after a pause.
        var isComparisonDue = false
        var audiences: [Int: Watcher] = [:]
        var lastNumber = 0
        var requests: [Int32: [Request]] = [:]
    }

    /// The pause before the kernel is asked again to watch a path that it refused.
    private static let retryPause = Duration.seconds(30)

    private let state = Mutex(State())

    package init() {}

    /// Begins to read the kernel's reports. To be called once.
    package func start() {
        state.withLock { state in
            state.isStarted = true
            startThread(state)
        }
    }

    /// Calls back after each change of one of the paths, until `stop`, and when changes may have been missed. `suffixes` name
    /// further files to watch, in the directory of each path's real file.
    package func watch(
        _ paths: [String], suffixes: [String] = [], _ tell: @escaping @Sendable () -> Void
    ) -> Int {
        add(Watcher(paths: paths, suffixes: suffixes, tell: tell))
    }

    /// Calls back after the file at one of the paths is replaced or deleted, and after the mounts below it change.
    package func watchPlaces(of paths: [String], _ tell: @escaping @Sendable () -> Void) -> Int {
        add(Watcher(paths: paths, isOfPlaces: true, tell: tell))
    }

    /// Why the kernel does not report all changes of a ticket's paths; nil when it does. Asks it again if it did not.
    package func problem(of ticket: Int) -> String? {
        state.withLock { state in
            if state.audiences[ticket]?.problem != nil { updateRequests(of: ticket, &state) }
            return state.audiences[ticket]?.problem
        }
    }

    /// The time of the next look; nil: only after a change. While the kernel does not report all changes, it is at most the
    /// retry pause away.
    static func nextCheck(_ next: ContinuousClock.Instant?, isBlind: Bool) -> ContinuousClock.Instant? {
        guard isBlind else { return next }
        let retry = ContinuousClock.now + retryPause
        return min(next ?? retry, retry)
    }

    private func add(_ audience: Watcher) -> Int {
        state.withLock { state in
            state.lastNumber += 1
            state.audiences[state.lastNumber] = audience
            updateRequests(of: state.lastNumber, &state)
            return state.lastNumber
        }
    }

    package func stop(_ ticket: Int) {
        state.withLock { state in
            state.audiences[ticket] = nil
            replaceRequests(of: ticket, with: [], &state)
        }
    }
}

// MARK: - Watches

extension FileWatcher {
    private static let changes = UInt32(
        IN_CLOSE_WRITE | IN_MODIFY | IN_ATTRIB | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF
            | IN_MOVE_SELF)
    /// The events that concern a directory itself, and not the names in it.
    private static let changesOfItself = UInt32(IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF)
    /// The events that concern the names in a directory. Writing to a file in it is not among them.
    private static let changesOfNames = UInt32(
        IN_ATTRIB | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF)
    /// Events after which a path may lead elsewhere. A directory's new permissions are a change of attributes.
    private static let moves = UInt32(
        IN_ATTRIB | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED
            | IN_UNMOUNT)

    /// Events after which the watched file or directory itself has moved or been deleted.
    private static let ends = UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_UNMOUNT)

    /// Asks the kernel for all events that concern an audience, and for no others.
    private func updateRequests(of number: Int, _ state: inout State) {
        guard var audience = state.audiences[number] else { return }
        defer { state.audiences[number] = audience }
        audience.problem = nil
        do throws(FeedError) { try open(&state) } catch {
            audience.problem = error.description
            return
        }
        var requests: [(watch: Int32, request: Request)] = []
        // A change between resolving and watching is not reported, so the path is resolved again. The bound is for a path that
        // changes all the time.
        for _ in 0..<64 {
            let before = places(of: audience, state.table)
            audience.isComparedRegularly = false
            func add(_ path: String, name: String?, _ mask: UInt32) {
                // Earlier requests for the same file stay in force.
                let watch = inotify_add_watch(state.inotify, path, mask | UInt32(IN_MASK_ADD))
                let request = Request(audience: number, name: name, mask: mask | Self.ends)
                if watch >= 0 { return requests.append((watch, request)) }
                switch errno {
                case ENOSPC, ENOMEM: audience.problem = Inotify.limit(path)
                case EACCES where name != nil: audience.isComparedRegularly = true
                // A missing file is reported by the directory that it may appear in.
                default: break
                }
            }
            for step in Set(before.paths.flatMap(\.steps)) {
                if step.isPassed {
                    // The kernel reports an event of the directory itself without a name.
                    add("\(step.directory)/\(step.name)", name: "", Self.changesOfItself)
                } else {
                    add(step.directory, name: step.name, Self.changesOfNames)
                }
            }
            if !audience.isOfPlaces { for path in before.paths { add(path.path, name: nil, Self.changes) } }
            audience.places = places(of: audience, state.table)
            if audience.places == before { break }
        }
        audience.problem = audience.problem ?? objection(to: audience.places, state.table)
        replaceRequests(of: number, with: requests, &state)
        if audience.isComparedRegularly { compareRoutesLater(&state) }
    }

    private func objection(to places: WatchedPlaces, _ mounts: Mounts?) -> String? {
        for path in places.paths {
            guard let objection = mounts?.objection(to: path) else { continue }
            return "\(path.path) \(objection): set `every` (or use --every) to read it periodically"
        }
        return nil
    }

    private func places(of audience: Watcher, _ mounts: Mounts?) -> WatchedPlaces {
        var paths = audience.paths.map { ResolvedPath($0) }
        paths += paths.flatMap { path in audience.suffixes.map { ResolvedPath(path.path + $0) } }
        return WatchedPlaces(paths: paths, mounts: paths.flatMap { mounts?.mountPoints(below: $0.path) ?? [] })
    }

    private func replaceRequests(
        of number: Int, with requests: [(watch: Int32, request: Request)], _ state: inout State
    ) {
        var old: Set<Int32> = []
        for (watch, known) in state.requests where known.contains(where: { $0.audience == number }) {
            state.requests[watch] = known.filter { $0.audience != number }
            old.insert(watch)
        }
        for (watch, request) in requests where state.requests[watch]?.contains(request) != true {
            state.requests[watch, default: []].append(request)
        }
        for watch in old where state.requests[watch]?.isEmpty == true {
            state.requests[watch] = nil
            inotify_rm_watch(state.inotify, watch)
        }
    }

    private func open(_ state: inout State) throws(FeedError) {
        guard state.inotify < 0 else { return }
        state.inotify = try Inotify.descriptor(Int32(IN_NONBLOCK))
        state.mounts = Glibc.open(Mounts.file, O_RDONLY | O_CLOEXEC)
        state.table = .now()
        startThread(state)
    }
}

// MARK: - Hearing

extension FileWatcher {
    private func startThread(_ state: State) {
        guard state.isStarted, state.inotify >= 0 else { return }
        let (inotify, mounts) = (state.inotify, state.mounts)
        DispatchQueue(label: "file watcher").async { self.runEventLoop(inotify, mounts) }
    }

    private func runEventLoop(_ inotify: Int32, _ mounts: Int32) {
        let length = 1 << 16
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: length, alignment: 8)
        defer { buffer.deallocate() }
        while true {
            // A change of the mounts is an exceptional condition of the file (proc_pid_mountinfo(5)).
            var sources = [
                pollfd(fd: inotify, events: Int16(POLLIN), revents: 0),
                pollfd(fd: mounts, events: Int16(POLLPRI), revents: 0),
            ]
            guard poll(&sources, 2, -1) > 0 else { continue }
            if sources[0].revents != 0 {
                let length = read(inotify, buffer.baseAddress, length)
                if length > 0 { handleEvents(UnsafeRawBufferPointer(rebasing: buffer[..<length])) }
            }
            if sources[1].revents != 0 { compareRoutes() }
        }
    }

    private func compareRoutesLater(_ state: inout State) {
        guard !state.isComparisonDue else { return }
        state.isComparisonDue = true
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(Int(Self.retryPause.components.seconds))) {
            self.compareRoutes()
            self.state.withLock { state in
                state.isComparisonDue = false
                if state.audiences.values.contains(where: \.isComparedRegularly) { self.compareRoutesLater(&state) }
            }
        }
    }

    private func compareRoutes() {
        let due = state.withLock { state in
            state.table = .now()
            let moved = state.audiences.filter { places(of: $0.value, state.table) != $0.value.places }
            for number in moved.keys { updateRequests(of: number, &state) }
            return moved.values.map(\.tell)
        }
        for tell in due { tell() }
    }

    private func handleEvents(_ events: UnsafeRawBufferPointer) {
        let due = state.withLock { state in
            var due: Set<Int> = []
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
                // The end of a directory on the way concerns every name in it.
                let isOfAll = event.mask & Self.ends != 0
                for request in state.requests[event.wd] ?? [] where event.mask & request.mask != 0 {
                    guard isOfAll || request.name == nil || request.name == name else { continue }
                    due.insert(request.audience)
                    // A change in a watched directory does not change where the directory's own path leads.
                    if isOfAll || request.name != nil && event.mask & Self.moves != 0 { moved.insert(request.audience) }
                }
                if event.mask & UInt32(IN_IGNORED) != 0 { state.requests[event.wd] = nil }
            }
            for number in moved { updateRequests(of: number, &state) }
            return due.compactMap { state.audiences[$0]?.tell }
        }
        for tell in due { tell() }
    }
}
