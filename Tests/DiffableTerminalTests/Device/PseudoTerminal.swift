import CVterm
import Glibc
import TestSupport

/// The other end of a terminal: what a terminal's window is to the programs in it.
final class PseudoTerminal {
    let descriptor: Int32
    /// What a program opens.
    let path: String
    /// Held open, because without anybody who has it the terminal is hung up.
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

    /// Whether characters are echoed, signals are made of keys, and lines are waited for: none of it in a full-screen
    /// program.
    var localFlags: UInt32 { terminal_local_flags(held) }

    /// Takes what programs have written, until nothing comes for a while. More may come: the kernel hands on what was
    /// written a little later, on a busy machine much later.
    func takeAll(pause milliseconds: Int32 = 50) {
        var readable = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while poll(&readable, 1, milliseconds) > 0 {
            var bytes = [UInt8](repeating: 0, count: 1 << 16)
            let count = read(descriptor, &bytes, bytes.count)
            guard count > 0 else { return }
            shown += bytes.prefix(count)
        }
    }

    /// Takes some of what programs have written, or nothing if nothing is there.
    func take(atMost count: Int) -> [UInt8] {
        var readable = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard count > 0, poll(&readable, 1, 0) > 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: count)
        let taken = read(descriptor, &bytes, count)
        return Array(bytes.prefix(max(taken, 0)))
    }

    /// Takes what programs write until it is so.
    func waits(until isSo: (String) -> Bool) -> Bool {
        eventually {
            if isSo(shownText) { return true }
            takeAll(pause: 20)
            return isSo(shownText)
        }
    }

    /// Takes what programs write until the text is among it.
    func waits(for text: String) -> Bool { waits { $0.contains(text) } }

    func forget() { shown = [] }

    var shownText: String { String(decoding: shown, as: UTF8.self) }
}
