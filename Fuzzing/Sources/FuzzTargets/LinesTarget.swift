import DiffableProtocol

private let lineLengthMax = 12

func decodeLines(_ bytes: UnsafeRawBufferPointer) {
    var framer = LineFramer()
    // The most bytes of one read from a socket.
    for bytes in steps(bytes, 65_536) { framer.read(bytes) { _ in .wantsMore } }
}

/// Checks that a stream gives the same lines however it is split and read.
func checkLines(_ bytes: UnsafeRawBufferPointer) throws {
    guard let first = bytes.first else { return }
    let stream = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
    let expected = plainLines(stream)
    let step = Int(first) % 16 + 1
    for step in [step, max(stream.count, 1)] {
        let read = linesRead(stream, step: step)
        try hold(read == expected, "read by \(step): \(read), not \(expected)")
        let appended = linesAppended(stream, step: step)
        try hold(appended == expected, "appended by \(step): \(appended), not \(expected)")
    }
}

/// Returns the lines; nil for one that is too long.
private func plainLines(_ stream: UnsafeRawBufferPointer) -> [[UInt8]?] {
    var lines: [[UInt8]?] = []
    for line in stream.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
        let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        if line.count > lineLengthMax {
            lines.append(nil)
        } else if !line.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) {
            lines.append([UInt8](line))
        }
    }
    return lines
}

private func collect(_ line: LineFramer.Line, _ lines: inout [[UInt8]?]) {
    switch line {
    case .line(let bytes): lines.append([UInt8](bytes))
    case .tooLong: lines.append(nil)
    case .skipped: break
    }
}

private func steps(_ stream: UnsafeRawBufferPointer, _ step: Int) -> [UnsafeRawBufferPointer] {
    stride(from: 0, to: stream.count, by: max(step, 1)).map {
        UnsafeRawBufferPointer(rebasing: stream[$0..<min($0 + max(step, 1), stream.count)])
    }
}

private func linesRead(_ stream: UnsafeRawBufferPointer, step: Int) -> [[UInt8]?] {
    var framer = LineFramer(lineLengthMax: lineLengthMax)
    var lines: [[UInt8]?] = []
    for bytes in steps(stream, step) {
        // Every third line, the reader stops and continues later.
        framer.read(bytes) { line in
            collect(line, &lines)
            return lines.count % 3 == 0 ? .sated : .wantsMore
        }
        while framer.next({ collect($0, &lines) }) != nil {}
    }
    framer.finish()
    while framer.next({ collect($0, &lines) }) != nil {}
    return lines
}

private func linesAppended(_ stream: UnsafeRawBufferPointer, step: Int) -> [[UInt8]?] {
    var framer = LineFramer(lineLengthMax: lineLengthMax)
    var lines: [[UInt8]?] = []
    for bytes in steps(stream, step) {
        framer.append(bytes)
        if lines.count % 2 == 0 { while framer.next({ collect($0, &lines) }) != nil {} }
    }
    framer.finish()
    while framer.next({ collect($0, &lines) }) != nil {}
    return lines
}
