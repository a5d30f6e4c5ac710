import Dispatch
import Glibc
import Synchronization

/// Collects one feed's inotify(7) events until they are taken. The thread wakes only when something happens, and a few times a
/// second at most.
final class FolderEvents: Sendable {
    struct Changes {
        /// Whether the kernel dropped events, so that anything may have changed.
        var isIncomplete = false
        var names: [Int32: Set<FileName>] = [:]
        var whole: Set<Int32> = []
        var ended: Set<Int32> = []

        var isEmpty: Bool { !isIncomplete && names.isEmpty && whole.isEmpty && ended.isEmpty }
    }

    private let descriptor: Int32
    private let changes = Mutex(Changes())

    /// The time in which events are collected before they are reported, so that a growing file is reported once.
    private static let settling = Duration.milliseconds(30)
    /// The number of changed names in a folder above which the whole folder is read.
    private static let namesMax = 10_000

    /// `isOptional` says whether folders are read periodically anyway. Then a refusal of the kernel is not an error.
    init(isOptional: Bool = false) throws(FeedError) {
        do throws(FeedError) { descriptor = try Inotify.descriptor(Int32(IN_NONBLOCK)) } catch {
            guard isOptional else { throw error }
            descriptor = -1
        }
    }

    deinit { close(descriptor) }

    /// Collects events until the returned source is cancelled. `tell` is called when events have been collected.
    func start(_ tell: @escaping @Sendable () -> Void) -> (any DispatchSourceRead)? {
        guard descriptor >= 0 else { return nil }
        let source = DispatchSource.makeReadSource(
            fileDescriptor: descriptor, queue: DispatchQueue(label: "folder events"))
        source.setEventHandler {
            usleep(UInt32(Self.settling.components.attoseconds / 1_000_000_000_000))
            self.readEvents()
            tell()
        }
        // The descriptor must stay open until the source is cancelled.
        source.setCancelHandler { withExtendedLifetime(self) {} }
        source.resume()
        return source
    }

    func takeChanges() -> Changes {
        changes.withLock { changes in
            defer { changes = Changes() }
            return changes
        }
    }

    // MARK: - Watches

    private static let mask = UInt32(
        IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB | IN_DELETE_SELF
            | IN_MOVE_SELF)

    /// Watches an open folder. A folder that is already watched keeps its number. Returns a number that is never reused for
    /// another folder; nil if the kernel refuses, with the reason in `errno`.
    func watch(_ folder: Int32) -> Int32? {
        // By descriptor, so that a change of the path cannot lead to another folder.
        let watch = inotify_add_watch(descriptor, "/proc/self/fd/\(folder)", Self.mask | UInt32(IN_ONLYDIR))
        return watch >= 0 ? watch : nil
    }

    func unwatch(_ watch: Int32) { inotify_rm_watch(descriptor, watch) }

    // MARK: - Reading

    /// The limit of reads in one call. It covers more than the kernel's queue, which may be filled as fast as it is read.
    private static let readsMax = 256

    func readEvents() {
        let length = 1 << 16
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: length, alignment: 8)
        defer { buffer.deallocate() }
        for _ in 0..<Self.readsMax {
            let count = read(descriptor, buffer.baseAddress, length)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            decode(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    private func decode(_ events: UnsafeRawBufferPointer) {
        changes.withLock { changes in
            var offset = 0
            let header = MemoryLayout<inotify_event>.size
            while offset + header <= events.count {
                let event = events.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                let bytes = events[offset + header..<offset + header + Int(event.len)]
                offset += header + Int(event.len)
                changes.add(event, name: Array(bytes.prefix { $0 != 0 }), namesMax: Self.namesMax)
            }
        }
    }
}

extension FolderEvents.Changes {
    fileprivate mutating func add(_ event: inotify_event, name: FileName, namesMax: Int) {
        let mask = Int32(bitPattern: event.mask)
        if mask & Int32(IN_Q_OVERFLOW) != 0 {
            isIncomplete = true
        } else if mask & Int32(IN_IGNORED | IN_DELETE_SELF) != 0 {
            // The deletion is reported before the number can be reused, and the end of the watch after it.
            ended.insert(event.wd)
        } else if name.isEmpty || whole.contains(event.wd) {
            // An event of the folder itself may mean that it has become readable.
            whole.insert(event.wd)
        } else {
            names[event.wd, default: []].insert(name)
            guard names[event.wd, default: []].count > namesMax else { return }
            names[event.wd] = nil
            whole.insert(event.wd)
        }
    }
}
