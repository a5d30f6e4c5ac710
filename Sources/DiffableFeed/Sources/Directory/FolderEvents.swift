import Dispatch
import Glibc
import Synchronization

/// What the kernel tells of the folders of one feed (inotify(7)), gathered until somebody asks: a thread is at work only while
/// something happens, some times a second.
final class FolderEvents: Sendable {
    /// What happened, by the numbers of watches.
    struct Changes {
        /// Whether the kernel dropped some, so that anything may have happened.
        var isIncomplete = false
        /// Of each folder the names that are to be looked at.
        var names: [Int32: Set<FileName>] = [:]
        /// The folders of which all is to be looked at.
        var whole: Set<Int32> = []
        /// Those of folders that are gone, which are watched no more.
        var ended: Set<Int32> = []

        var isEmpty: Bool { !isIncomplete && names.isEmpty && whole.isEmpty && ended.isEmpty }
    }

    private let descriptor: Int32
    private let changes = Mutex(Changes())

    /// What happens within this time is heard at once. A file that grows is told of once then.
    private static let settling = Duration.milliseconds(30)
    /// Of a folder in which more than so many names changed, all of them are looked at.
    private static let namesMax = 10_000

    /// - Parameter isOptional: whether folders are read regularly anyway. Then nothing is gathered when the kernel refuses.
    init(isOptional: Bool = false) throws(FeedError) {
        do throws(FeedError) { descriptor = try Inotify.descriptor(Int32(IN_NONBLOCK)) } catch {
            guard isOptional else { throw error }
            descriptor = -1
        }
    }

    deinit { close(descriptor) }

    /// Gathers until what is returned is cancelled.
    ///
    /// - Parameter tell: is called when something has been gathered.
    func start(_ tell: @escaping @Sendable () -> Void) -> (any DispatchSourceRead)? {
        guard descriptor >= 0 else { return nil }
        let source = DispatchSource.makeReadSource(
            fileDescriptor: descriptor, queue: DispatchQueue(label: "folder events"))
        source.setEventHandler {
            usleep(UInt32(Self.settling.components.attoseconds / 1_000_000_000_000))
            self.gather()
            tell()
        }
        // The descriptor stays until nobody waits for it any more.
        source.setCancelHandler { withExtendedLifetime(self) {} }
        source.resume()
        return source
    }

    /// All that was gathered, once.
    func take() -> Changes {
        changes.withLock { changes in
            defer { changes = Changes() }
            return changes
        }
    }

    // MARK: - Watches

    private static let mask = UInt32(
        IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB | IN_DELETE_SELF
            | IN_MOVE_SELF)

    /// Watches the folder that is open. One that is watched already has its number again.
    ///
    /// - Returns: a number that no other folder ever has; nil when the kernel says no, with the reason in `errno`.
    func watch(_ folder: Int32) -> Int32? {
        // By its descriptor, so that it is this folder whatever happens to its path.
        let watch = inotify_add_watch(descriptor, "/proc/self/fd/\(folder)", Self.mask | UInt32(IN_ONLYDIR))
        return watch >= 0 ? watch : nil
    }

    func unwatch(_ watch: Int32) { inotify_rm_watch(descriptor, watch) }

    // MARK: - Reading

    /// Reads all that the kernel has to tell at the moment.
    func gather() {
        let length = 1 << 16
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: length, alignment: 8)
        defer { buffer.deallocate() }
        while true {
            let count = read(descriptor, buffer.baseAddress, length)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            hear(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    private func hear(_ events: UnsafeRawBufferPointer) {
        changes.withLock { changes in
            var offset = 0
            let header = MemoryLayout<inotify_event>.size
            while offset + header <= events.count {
                let event = events.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                let bytes = events[offset + header..<offset + header + Int(event.len)]
                offset += header + Int(event.len)
                changes.hear(event, name: Array(bytes.prefix { $0 != 0 }), namesMax: Self.namesMax)
            }
        }
    }
}

extension FolderEvents.Changes {
    fileprivate mutating func hear(_ event: inotify_event, name: FileName, namesMax: Int) {
        let mask = Int32(bitPattern: event.mask)
        if mask & Int32(IN_Q_OVERFLOW) != 0 {
            isIncomplete = true
        } else if mask & Int32(IN_IGNORED | IN_DELETE_SELF) != 0 {
            // That it is deleted is told before another can have its number, that it is watched no more is told after that.
            ended.insert(event.wd)
        } else if name.isEmpty || whole.contains(event.wd) {
            // What happens to a folder itself may be that it can be read now.
            whole.insert(event.wd)
        } else {
            names[event.wd, default: []].insert(name)
            guard names[event.wd, default: []].count > namesMax else { return }
            names[event.wd] = nil
            whole.insert(event.wd)
        }
    }
}
