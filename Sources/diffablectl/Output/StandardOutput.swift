#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// Gathers what goes to standard output and writes it in large pieces.
///
/// Writing blocks when nobody reads: whoever draws changes is then held back, and the daemon with it skips what would
/// only have been scrolled past.
struct StandardOutput {
    private var bytes: [UInt8] = []
    private static let pieceLength = 65_536

    mutating func line(_ text: String) {
        bytes += text.utf8
        bytes.append(UInt8(ascii: "\n"))
        if bytes.count >= StandardOutput.pieceLength { flush() }
    }

    mutating func append(_ raw: some Sequence<UInt8>) {
        bytes += raw
        if bytes.count >= StandardOutput.pieceLength { flush() }
    }

    mutating func flush() {
        write(bytes, to: STDOUT_FILENO)
        bytes.removeAll(keepingCapacity: true)
    }
}

/// Says something about the work, not its result: on standard error.
func say(_ text: String) {
    write(Array("diffablectl: \(text)\n".utf8), to: STDERR_FILENO)
}

func write(_ bytes: [UInt8], to descriptor: Int32) {
    var written = 0
    while written < bytes.count {
        let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress! + written, $0.count - written) }
        if count >= 0 {
            written += count
        } else if errno == EPIPE {
            endQuietly()
        } else if errno != EINTR {
            return
        }
    }
}

/// The reader of our output is gone (`| head`): end as other programs do, by the signal that SwiftNIO ignores.
private func endQuietly() -> Never {
    signal(SIGPIPE, SIG_DFL)
    raise(SIGPIPE)
    exit(128 + SIGPIPE)
}
