import Glibc

/// Reports changes in a directory by inotify(7), so that nothing has to be asked for periodically.
///
/// A thread waits in read(2). A source of libdispatch would wake the process every second.
final class DirectoryWatch: Sendable {
    enum Change: Sendable {
        /// Files were written, renamed or removed.
        case files
        /// The directory itself was renamed or removed; another may have its path now.
        case directory
    }

    private let events: InotifyInstance
    private let watch: Int32

    /// Watches until it is released. Returns nil if the directory cannot be watched, such as at the limit of inotify instances.
    ///
    /// - Parameter changed: called on the watch's thread. Several changes may be one call.
    init?(_ directory: String, changed: @escaping @Sendable (Change) -> Void) {
        let descriptor = inotify_init1(Int32(IN_CLOEXEC))
        guard descriptor >= 0 else { return nil }
        events = InotifyInstance(descriptor, changed)
        let kinds = [IN_CLOSE_WRITE, IN_MOVED_TO, IN_MOVED_FROM, IN_DELETE, IN_ATTRIB, IN_MOVE_SELF, IN_DELETE_SELF]
        watch = inotify_add_watch(descriptor, directory, kinds.reduce(0) { $0 | UInt32($1) })
        guard watch >= 0, events.readOnThread() else { return nil }
    }

    /// The kernel reports the end of the watch, which ends the thread.
    deinit { if watch >= 0 { inotify_rm_watch(events.descriptor, watch) } }
}

/// An instance of inotify. Its descriptor is closed when neither the watch nor the thread needs it.
private final class InotifyInstance: Sendable {
    let descriptor: Int32
    private let changed: @Sendable (DirectoryWatch.Change) -> Void

    init(_ descriptor: Int32, _ changed: @escaping @Sendable (DirectoryWatch.Change) -> Void) {
        (self.descriptor, self.changed) = (descriptor, changed)
    }

    deinit { close(descriptor) }

    /// Starts a thread that reads until the end of the watch. Returns false if there is no room for another thread.
    func readOnThread() -> Bool {
        let events = Unmanaged.passRetained(self)
        var thread = pthread_t()
        let error = pthread_create(
            &thread, nil,
            { events in
                if let events { Unmanaged<InotifyInstance>.fromOpaque(events).takeRetainedValue().read() }
                return nil
            }, events.toOpaque())
        if error == 0 { pthread_detach(thread) } else { events.release() }
        return error == 0
    }

    private func read() {
        // Room for an event with the longest name.
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: MemoryLayout<inotify_event>.size + Int(NAME_MAX) + 1,
            alignment: MemoryLayout<inotify_event>.alignment)
        defer { buffer.deallocate() }
        while true {
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            var (position, kinds) = (0, UInt32(0))
            while position < count {
                let event = buffer.load(fromByteOffset: position, as: inotify_event.self)
                kinds |= event.mask
                position += MemoryLayout<inotify_event>.size + Int(event.len)
            }
            let isOfDirectory = kinds & UInt32(IN_MOVE_SELF | IN_DELETE_SELF) != 0
            if isOfDirectory || kinds & UInt32(IN_IGNORED) == 0 { changed(isOfDirectory ? .directory : .files) }
            if kinds & UInt32(IN_IGNORED) != 0 { return }
        }
    }
}
