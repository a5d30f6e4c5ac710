import CVterm
import Glibc
import TestSupport

/// The controlling end of a pseudo-terminal, which a terminal's window normally has.
final class PseudoTerminal {
    let descriptor: Int32
    /// The path for programs to open.
    let path: String
    /// An open descriptor, because without one the terminal is hung up.
    private let held: Int32
    private(set) var shown: [UInt8] = []
    private var isClosed = false

    init(columns: UInt16 = 80, rows: UInt16 = 24) {
        var ends: (Int32, Int32) = (-1, -1)
        var name = [CChar](repeating: 0, count: 64)
        let result = open_pseudo_terminal(&ends.0, &ends.1, &name)
        precondition(result == 0, "there is no pseudo-terminal")
        (descriptor, held) = ends
        path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        resize(columns: columns, rows: rows)
    }

    deinit { close() }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        Glibc.close(held)
        Glibc.close(descriptor)
    }

    func resize(columns: UInt16, rows: UInt16) {
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(descriptor, UInt(TIOCSWINSZ), &size)
    }

    func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(descriptor, bytes, bytes.count)
    }

    /// The flags for echo, signals from keys, and line input: a full-screen program clears all of them.
    var localFlags: UInt32 { terminal_local_flags(held) }

    /// Reads output until there is none for a while. On a busy machine, the kernel may deliver the rest much later.
    func takeAll(pause milliseconds: Int32 = 50) {
        var readable = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while poll(&readable, 1, milliseconds) > 0 {
            var bytes = [UInt8](repeating: 0, count: 1 << 16)
            let count = read(descriptor, &bytes, bytes.count)
            guard count > 0 else { return }
            shown += bytes.prefix(count)
        }
    }

    /// Reads at most `count` bytes of output, or nothing.
    func take(atMost count: Int) -> [UInt8] {
        var readable = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard count > 0, poll(&readable, 1, 0) > 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: count)
        let taken = read(descriptor, &bytes, count)
        return Array(bytes.prefix(max(taken, 0)))
    }

    /// Reads output until the condition is true.
    func waits(until isSo: (String) -> Bool) -> Bool {
        eventually {
            if isSo(shownText) { return true }
            takeAll(pause: 20)
            return isSo(shownText)
        }
    }

    /// Reads output until it contains the text.
    func waits(for text: String) -> Bool { waits { $0.contains(text) } }

    func forget() { shown = [] }

    var shownText: String { String(decoding: shown, as: UTF8.self) }
}
