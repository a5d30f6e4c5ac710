#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Bytes in, lines out: the framing of a connection, without the connection.
///
/// A line ends with a newline or a carriage return and a newline, which do not belong to it; blank lines are passed
/// over. A line that is too long is reported once, as soon as that is certain, and skipped up to its newline, so that
/// nobody can make the framer hold more than `lineLengthMax` bytes beside what was appended last. No byte is
/// looked at more than twice.
///
/// There are two ways in. `read` lends its caller the lines where they lie, and keeps only what is left over;
/// `append` keeps everything, and `next` hands it out.
package struct LineFramer: Sendable {
    /// In bytes, without the end of the line.
    package var lineLengthMax: Int
    private var buffer: [UInt8] = []
    /// Of the first byte that was not handed out.
    private var start = 0
    /// There is no newline between `start` and here.
    private var searched = 0
    /// The line that is being skipped up to its newline; nil if there is none.
    private var skipped: RefusedLine?
    private var hasEnded = false

    package enum Line {
        /// Valid only during the call.
        case line(UnsafeRawBufferPointer)
        /// Nil if the line has no end yet: then `skipped` follows.
        case tooLong(RefusedLine?)
        /// The end of a line that was dropped before its newline.
        case skipped(RefusedLine)
    }

    package init(lineLengthMax: Int = 1 << 20) {
        self.lineLengthMax = lineLengthMax
    }

    package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        discardRead()
        buffer.append(contentsOf: bytes)
    }

    /// Hands the lines in these bytes to `body` where they lie, after those that were kept, until it wants no more;
    /// what is left is kept for `next`.
    package mutating func read(_ bytes: UnsafeRawBufferPointer, _ body: (Line) -> Appetite) {
        var rest = bytes
        if hasBytes {
            // Only as far as the end of the line that was begun, so that what follows need not be copied.
            let end = Self.newline(in: rest).map { $0 + 1 } ?? rest.count
            append(UnsafeRawBufferPointer(rebasing: rest[..<end]))
            rest = UnsafeRawBufferPointer(rebasing: rest[end...])
            while let appetite = next(body) {
                if appetite == .sated { return append(rest) }
            }
        }
        while let newline = Self.newline(in: rest) {
            let line = UnsafeRawBufferPointer(rebasing: rest[..<newline])
            rest = UnsafeRawBufferPointer(rebasing: rest[(newline + 1)...])
            skipped?.read(line)
            let appetite = skipped == nil ? handOut(line, body) : body(endSkipping())
            if appetite == .sated { return append(rest) }
        }
        // Nearly always: whole lines came.
        if rest.isEmpty, buffer.isEmpty { return }
        append(rest)
        searched = buffer.count
        // What has no end yet may be too long already.
        _ = unfinished(body)
    }

    /// Whether a reader of lines goes on.
    package enum Appetite {
        case wantsMore
        case sated
    }

    /// Whether bytes are kept that were not handed out.
    package var hasBytes: Bool { start < buffer.count }

    /// What is kept, in bytes.
    package var length: Int { buffer.count - start }

    /// Skips the line that is kept without its end, up to its newline; false when there is none.
    package mutating func letGoOfUnfinishedLine() -> Bool {
        guard hasBytes, !hasEnded, searched == buffer.count else { return false }
        skip(start..<buffer.count)
        discardRead()
        return true
    }

    /// No more bytes come: what is left is a line, also without a newline.
    package mutating func finish() { hasEnded = true }

    /// Hands the next line to `body`; nil when there is none yet.
    package mutating func next<R>(_ body: (Line) throws -> R) rethrows -> R? {
        while let newline = nextNewline() {
            let range = start..<newline
            start = newline + 1
            searched = start
            if skipped != nil {
                readSkipped(range)
                return try body(endSkipping())
            }
            if let result = try handOut(range, body) { return result }
        }
        return try unfinished(body)
    }

    /// Hands the next line to `body`, which leaves it where it is when it gives nil. Whether that was so, or there was none
    /// yet, is told apart.
    package mutating func takeNext<R>(_ body: (Line) -> R?) -> Peeked<R> {
        let before = (start, searched, skipped)
        guard let result = next({ body($0) }) else { return .nothing }
        if let result { return .taken(result) }
        (start, searched, skipped) = before
        return .left
    }

    package enum Peeked<R> {
        case taken(R)
        case left
        /// There is no line yet.
        case nothing
    }

    /// What follows the last newline.
    private mutating func unfinished<R>(_ body: (Line) throws -> R) rethrows -> R? {
        let range = start..<buffer.count
        if range.isEmpty || skipped != nil {
            skip(range)
            return nil
        }
        // A carriage return at the end may belong to the end of the line.
        let length = range.count - (buffer[range.upperBound - 1] == UInt8(ascii: "\r") ? 1 : 0)
        if length > lineLengthMax {
            skip(range)
            return try body(.tooLong(nil))
        }
        guard hasEnded else { return nil }
        start = buffer.count
        return try handOut(range, body)
    }

    /// Drops bytes of an unfinished line.
    private mutating func skip(_ range: Range<Int>) {
        start = buffer.count
        if !range.isEmpty { readSkipped(range) }
    }

    private mutating func readSkipped(_ range: Range<Int>) {
        var line = skipped ?? RefusedLine()
        buffer.withUnsafeBytes { line.read(UnsafeRawBufferPointer(rebasing: $0[range])) }
        skipped = line
    }

    private mutating func endSkipping() -> Line {
        defer { skipped = nil }
        return .skipped(skipped ?? RefusedLine())
    }

    private func handOut<R>(_ range: Range<Int>, _ body: (Line) throws -> R) rethrows -> R? {
        try buffer.withUnsafeBytes { try handOut(UnsafeRawBufferPointer(rebasing: $0[range]), body) }
    }

    /// Nil for a blank line.
    private func handOut<R>(_ line: UnsafeRawBufferPointer, _ body: (Line) throws -> R) rethrows -> R? {
        let content = Self.content(of: line)
        // Also when it is blank: in pieces it would have been reported before its end.
        if content.count > lineLengthMax { return try body(.tooLong(RefusedLine(content))) }
        let isBlank = content.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        return isBlank ? nil : try body(.line(content))
    }

    private mutating func nextNewline() -> Int? {
        let from = max(searched, start)
        searched = buffer.count
        guard from < buffer.count else { return nil }
        return buffer.withUnsafeBytes { bytes in
            Self.newline(in: UnsafeRawBufferPointer(rebasing: bytes[from...])).map { from + $0 }
        }
    }

    private static func newline(in bytes: UnsafeRawBufferPointer) -> Int? {
        guard let start = bytes.baseAddress else { return nil }
        return memchr(start, Int32(UInt8(ascii: "\n")), bytes.count).map { UnsafeRawPointer($0) - start }
    }

    /// A line without its carriage return.
    private static func content(of line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: line.last == UInt8(ascii: "\r") ? line.dropLast() : line[...])
    }

    /// Makes room: at once when everything was read, otherwise when it is worth moving the rest.
    private mutating func discardRead() {
        if start == buffer.count {
            // One long line must not hold its memory for as long as the connection lasts.
            buffer.removeAll(keepingCapacity: buffer.capacity <= 1 << 16)
        } else if start > buffer.count / 2 {
            buffer.removeFirst(start)
        } else {
            return
        }
        searched = max(searched - start, 0)
        start = 0
    }
}
