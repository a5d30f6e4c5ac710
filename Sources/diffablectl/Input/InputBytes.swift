import DiffableInput
import DiffableJSON
import Files
import Glibc
import SystemPackage

/// Reads a whole file, or standard input for `nil` and `-`. `what` names the input in a message, such as `the items of tasks`.
/// `isTrusted` refuses a file that other users may have written.
func inputBytes(
    of file: String?, _ what: String, within limit: InputLimit, isTrusted: Bool = false
) async throws -> [UInt8] {
    guard let file, file != "-" else {
        if isatty(STDIN_FILENO) == 1 {
            printMessage("type \(what), and end it with Ctrl-D on a line of its own; Ctrl-C cancels")
        }
        return try await ByteSource(STDIN_FILENO, named: "standard input").bytes(within: limit)
    }
    let descriptor: FileDescriptor
    do throws(UntrustedPath) { descriptor = try FileDescriptor.openedInput(file) } catch {
        throw InputError("\(file) cannot be read: \(error.reason(for: file))")
    }
    defer { try? descriptor.close() }
    if isTrusted {
        do throws(UntrustedPath) { try descriptor.checkWriters(path: file) } catch {
            throw InputError("\(file) was not read, and nothing was changed: \(error.reason(for: file))")
        }
    }
    return try await ByteSource(descriptor.rawValue, named: file).bytes(within: limit)
}

struct ByteSource {
    private let descriptor: Int32
    private let name: String

    /// The time after which a message explains the wait, because the user may have left a pipe open.
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
                printMessage("waiting for the end of \(name); \(counted(bytes.count, "byte")) read so far")
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

    private var isQuiet: Bool {
        var input = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&input, 1, ByteSource.patienceMilliseconds) == 0
    }

    static func unreadable(_ name: String) -> InputError {
        InputError("\(name) cannot be read: \(String(cString: strerror(errno)))")
    }
}
