#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Splits bytes into lines: the framing of a connection, without the connection.
///
/// A line ends with a newline, or a carriage return and a newline, which do not belong to it; blank lines are skipped. A line
/// that is too long is reported once, as soon as that is certain, and skipped up to its newline. So the framer never holds more
/// than `lineLengthMax` bytes besides the last appended ones. Each byte is examined at most twice.
///
/// There are two ways to use it. `read` lends the lines without copying, and keeps only the rest; `append` keeps everything,
/// and `next` returns it.
package struct LineFramer: Sendable {
    /// Bytes, without the end of the line.
    package var lineLengthMax: Int
    private var buffer: [UInt8] = []
    /// The offset of the first byte that was not returned.
    private var start = 0
    /// The bytes from `start` to this offset have no newline.
    private var searched = 0
    /// The line that is being skipped up to its newline; nil if there is none.
    private var skipped: RefusedLine?
    private var hasEnded = false

    package enum Line {
        /// A whole line. The pointer is valid only during the call.
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

    package mutating func removeAll() {
        buffer = []
        (start, searched, skipped) = (0, 0, nil)
    }

    /// Calls `body` with the kept lines and then with the lines in these bytes, without copying, until it wants no more. The
    /// rest is kept for `next`.
    package mutating func read(_ bytes: UnsafeRawBufferPointer, _ body: (Line) -> Demand) {
        var rest = bytes
        if hasBytes {
            // Only up to the end of the unfinished line, so that the rest need not be copied.
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
            let appetite = skipped == nil ? deliver(line, body) : body(endSkipping())
            if appetite == .sated { return append(rest) }
        }
        // The usual case: only whole lines arrived.
        if rest.isEmpty, buffer.isEmpty { return }
        append(rest)
        searched = buffer.count
        // The unfinished line may already be too long.
        _ = deliverUnfinished(body)
    }

    package enum Demand {
        case wantsMore
        case sated
    }

    package var hasBytes: Bool { start < buffer.count }

    /// The number of kept bytes.
    package var length: Int { buffer.count - start }

    /// Skips the unfinished line up to its newline; false if there is none.
    package mutating func skipUnfinishedLine() -> Bool {
        guard hasBytes, !hasEnded, searched == buffer.count else { return false }
        skip(start..<buffer.count)
        discardRead()
        return true
    }

    /// Marks the end of the input: the rest is a line, even without a newline.
    package mutating func finish() { hasEnded = true }

    /// Calls `body` with the next line; nil if there is none yet.
    package mutating func next<R>(_ body: (Line) throws -> R) rethrows -> R? {
        while let newline = nextNewline() {
            let range = start..<newline
            start = newline + 1
            searched = start
            if skipped != nil {
                readSkipped(range)
                return try body(endSkipping())
            }
            if let result = try deliver(range, body) { return result }
        }
        return try deliverUnfinished(body)
    }

    /// Calls `body` with the next line, which stays unread if `body` returns nil. The result shows whether that was so, or
    /// no line was complete yet.
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
        case nothing
    }

    /// Handles the bytes after the last newline.
    private mutating func deliverUnfinished<R>(_ body: (Line) throws -> R) rethrows -> R? {
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
        return try deliver(range, body)
    }

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

    private func deliver<R>(_ range: Range<Int>, _ body: (Line) throws -> R) rethrows -> R? {
        try buffer.withUnsafeBytes { try deliver(UnsafeRawBufferPointer(rebasing: $0[range]), body) }
    }

    /// Nil for a blank line.
    private func deliver<R>(_ line: UnsafeRawBufferPointer, _ body: (Line) throws -> R) rethrows -> R? {
        let content = Self.content(of: line)
        // Even if it is blank: in pieces it would have been reported before its end.
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

    private static func content(of line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: line.last == UInt8(ascii: "\r") ? line.dropLast() : line[...])
    }

    /// Frees memory: at once if everything was read, otherwise when moving the rest is worth it.
    private mutating func discardRead() {
        if start == buffer.count {
            // One long line must not hold its memory as long as the connection lasts.
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
