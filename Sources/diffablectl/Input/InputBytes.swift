import DiffableInput
import DiffableJSON
import Glibc

/// Reads a whole file, or standard input for `nil` and `-`.
///
/// - Parameter what: what is waited for, such as `the items of tasks`. It is for a message.
func inputBytes(of file: String?, _ what: String, within limit: InputLimit) async throws -> [UInt8] {
    guard let file, file != "-" else {
        if isatty(STDIN_FILENO) == 1 {
            say("type \(what), and end with Ctrl-D on a line of its own; Ctrl-C changes nothing")
        }
        return try await ByteSource(STDIN_FILENO, named: "standard input").bytes(within: limit)
    }
    let descriptor = open(file, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw ByteSource.unreadable(file) }
    defer { close(descriptor) }
    return try await ByteSource(descriptor, named: file).bytes(within: limit)
}

/// A file, a pipe or a terminal that is read to its end.
struct ByteSource {
    private let descriptor: Int32
    private let name: String

    /// After this time a message says what is waited for, because somebody may have left a pipe open.
    private static let patienceMilliseconds: Int32 = 2_000

    init(_ descriptor: Int32, named name: String) {
        self.descriptor = descriptor
        self.name = name
    }

    func bytes(within limit: InputLimit) async throws -> [UInt8] {
        let progress = ProgressLine("read", "bytes")
        defer { progress.end() }
        var bytes: [UInt8] = []
        var lengthMax: Int?
        var part = [UInt8](repeating: 0, count: 1 << 18)
        var hasSpoken = false
        while true {
            if !hasSpoken, isatty(descriptor) == 0, isatty(STDERR_FILENO) == 1, isQuiet {
                say("waiting for the end of \(name), of which \(grouped(bytes.count)) bytes are read")
                hasSpoken = true
            }
            let count = part.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw ByteSource.unreadable(name) }
            if count == 0 { return bytes.withoutByteOrderMark() }
            bytes += part[..<count]
            progress.show(bytes.count)
            if bytes.count <= InputLimit.lengthAlwaysRead { continue }
            if lengthMax == nil { lengthMax = try await limit.lengthMax(after: bytes) }
            if let lengthMax, bytes.count > lengthMax { throw InputLimit.error(name, lengthMax: lengthMax) }
        }
    }

    /// Waits for a while for something to read.
    private var isQuiet: Bool {
        var input = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&input, 1, ByteSource.patienceMilliseconds) == 0
    }

    static func unreadable(_ name: String) -> InputError {
        InputError("\(name) cannot be read: \(String(cString: strerror(errno)))")
    }
}
