import Foundation

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

    /// Closed when neither the watch nor its thread needs it.
    private final class Descriptor: Sendable {
        let number: Int32
        init(_ number: Int32) { self.number = number }
        deinit { close(number) }
    }

    private let descriptor: Descriptor
    private let watch: Int32

    /// Watches until it is released. Returns nil if the directory cannot be watched, such as at the limit of inotify instances.
    ///
    /// - Parameter changed: called on the watch's thread. Several changes may be one call.
    init?(_ directory: String, changed: @escaping @Sendable (Change) -> Void) {
        let number = inotify_init1(Int32(IN_CLOEXEC))
        guard number >= 0 else { return nil }
        descriptor = Descriptor(number)
        let events = [IN_CLOSE_WRITE, IN_MOVED_TO, IN_MOVED_FROM, IN_DELETE, IN_ATTRIB, IN_MOVE_SELF, IN_DELETE_SELF]
        watch = inotify_add_watch(number, directory, events.reduce(0) { $0 | UInt32($1) })
        guard watch >= 0 else { return nil }
        let thread = Thread { [descriptor] in Self.report(from: descriptor, to: changed) }
        thread.stackSize = 128 << 10
        thread.start()
    }

    /// The kernel reports the end of the watch, which ends its thread.
    deinit { if watch >= 0 { inotify_rm_watch(descriptor.number, watch) } }

    private static func report(from descriptor: Descriptor, to changed: (Change) -> Void) {
        // Room for an event with the longest name.
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: MemoryLayout<inotify_event>.size + Int(NAME_MAX) + 1,
            alignment: MemoryLayout<inotify_event>.alignment)
        defer { buffer.deallocate() }
        while true {
            let count = read(descriptor.number, buffer.baseAddress, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            var (position, events) = (0, UInt32(0))
            while position < count {
                let event = buffer.load(fromByteOffset: position, as: inotify_event.self)
                events |= event.mask
                position += MemoryLayout<inotify_event>.size + Int(event.len)
            }
            let isOfDirectory = events & UInt32(IN_MOVE_SELF | IN_DELETE_SELF) != 0
            if isOfDirectory || events & UInt32(IN_IGNORED) == 0 { changed(isOfDirectory ? .directory : .files) }
            if events & UInt32(IN_IGNORED) != 0 { return }
        }
    }
}
