#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// Reads a whole file, or standard input for `nil` and `-`.
func inputBytes(of file: String?) throws(InputError) -> [UInt8] {
    guard let file, file != "-" else { return try standardInput() }
    let descriptor = open(file, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw unreadable(file) }
    defer { close(descriptor) }
    return try bytes(from: descriptor, named: file)
}

private func standardInput() throws(InputError) -> [UInt8] {
    if isatty(STDIN_FILENO) == 1 {
        say("reading from the terminal; end with Ctrl-D on a line of its own")
    }
    return try bytes(from: STDIN_FILENO, named: "standard input")
}

private func bytes(from descriptor: Int32, named name: String) throws(InputError) -> [UInt8] {
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 1 << 18)
    while true {
        let count = part.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { throw unreadable(name) }
        if count == 0 { return bytes }
        bytes += part[..<count]
    }
}

private func unreadable(_ name: String) -> InputError {
    InputError("\(name) cannot be read: \(String(cString: strerror(errno)))")
}
