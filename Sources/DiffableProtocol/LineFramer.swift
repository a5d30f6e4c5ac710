#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// Bytes in, lines out: the framing of a connection, without the connection.
///
/// A line ends with a newline or a carriage return and a newline, which do not belong to it; blank lines are passed
/// over. A line that is too long is reported once, as soon as that is certain, and skipped up to its newline, so that
/// nobody can make the framer hold more than `lineLengthMax` bytes beside what was appended last. Every byte is
/// looked at once.
package struct LineFramer: Sendable {
    /// In bytes, without the end of the line.
    package var lineLengthMax: Int
    private var buffer: [UInt8] = []
    /// Of the first byte that was not handed out.
    private var start = 0
    /// There is no newline between `start` and here.
    private var searched = 0
    private var isSkipping = false
    private var hasEnded = false

    package enum Line {
        /// Valid only during the call.
        case line(UnsafeRawBufferPointer)
        case tooLong
    }

    package init(lineLengthMax: Int = 1 << 20) {
        self.lineLengthMax = lineLengthMax
    }

    package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        discardRead()
        buffer.append(contentsOf: bytes)
    }

    /// No more bytes come: what is left is a line, also without a newline.
    package mutating func finish() { hasEnded = true }

    /// Hands the next line to `body`; nil when there is none yet.
    package mutating func next<R>(_ body: (Line) throws -> R) rethrows -> R? {
        while let newline = nextNewline() {
            let range = start..<newline
            start = newline + 1
            searched = start
            if isSkipping {
                isSkipping = false
            } else if let line = line(in: range) {
                if line.count > lineLengthMax { return try body(.tooLong) }
                return try buffer.withUnsafeBytes { try body(.line(UnsafeRawBufferPointer(rebasing: $0[line]))) }
            }
        }
        return try unfinished(body)
    }

    /// What follows the last newline.
    private mutating func unfinished<R>(_ body: (Line) throws -> R) rethrows -> R? {
        let range = start..<buffer.count
        if isSkipping || range.isEmpty {
            start = buffer.count
            return nil
        }
        // A carriage return at the end may belong to the end of the line.
        let length = range.count - (buffer[range.upperBound - 1] == UInt8(ascii: "\r") ? 1 : 0)
        if length > lineLengthMax {
            start = buffer.count
            isSkipping = true
            return try body(.tooLong)
        }
        guard hasEnded else { return nil }
        start = buffer.count
        guard let line = line(in: range) else { return nil }
        return try buffer.withUnsafeBytes { try body(.line(UnsafeRawBufferPointer(rebasing: $0[line]))) }
    }

    private mutating func nextNewline() -> Int? {
        let from = max(searched, start)
        searched = buffer.count
        guard from < buffer.count else { return nil }
        return buffer.withUnsafeBytes { bytes in
            memchr(bytes.baseAddress! + from, Int32(UInt8(ascii: "\n")), bytes.count - from)
                .map { UnsafeRawPointer($0) - bytes.baseAddress! }
        }
    }

    /// Without its carriage return; nil for a blank line.
    private func line(in range: Range<Int>) -> Range<Int>? {
        var range = range
        if let last = range.last, buffer[last] == UInt8(ascii: "\r") { range.removeLast() }
        let isBlank = buffer[range].allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        return isBlank ? nil : range
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

extension Range<Int> {
    fileprivate mutating func removeLast() { self = lowerBound..<upperBound - 1 }
}
