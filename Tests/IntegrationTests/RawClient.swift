import Foundation
import TestSupport

/// A client that sends and reads lines without interpreting them. Every read has a deadline.
final class RawClient {
    private let descriptor: Int32
    private var bytes: [UInt8] = []
    private var start = 0

    init(connectingTo path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let result = withUnixAddress(path) { [descriptor] in Foundation.connect(descriptor, $0, $1) }
        // `deinit` closes the descriptor, and runs here too; closing it twice would close another one.
        guard result == 0 else { throw Failure("\(path) does not accept: \(String(cString: strerror(errno)))") }
    }

    deinit { close() }

    private var isClosed = false

    func close() {
        // The daemon has to see the end now, even while a program that is being started has a copy of the descriptor.
        if !isClosed { shutdown(descriptor, Int32(SHUT_RDWR)) }
        if !isClosed { Foundation.close(descriptor) }
        isClosed = true
    }

    /// Ends the input for the daemon; reading continues.
    func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Makes the daemon's writes fail; sending continues.
    func finishReading() { shutdown(descriptor, Int32(SHUT_RD)) }
}

// MARK: - Sending

extension RawClient {
    func sendOutOfBand(_ byte: UInt8) {
        withUnsafeBytes(of: byte) { _ = Foundation.send(descriptor, $0.baseAddress, 1, Int32(MSG_OOB)) }
    }

    func send(_ line: String) throws { try send(Array("\(line)\n".utf8)) }

    func send(_ raw: [UInt8]) throws {
        guard try sendAsFarAsPossible(raw) == raw.count else { throw Failure("the daemon closed the connection") }
    }

    /// Sends until the daemon disconnects, and returns the number of accepted bytes.
    func sendAsFarAsPossible(_ raw: [UInt8]) throws -> Int {
        var sent = 0
        while sent < raw.count {
            let count = raw.withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress! + sent, $0.count - sent, Int32(MSG_NOSIGNAL))
            }
            if count < 0 {
                if errno == EINTR { continue }
                return sent
            }
            sent += count
        }
        return sent
    }
}

extension RawClient {
    /// Waits until the daemon has read everything.
    func waitUntilTaken() throws {
        try eventually("reader of what was sent") {
            var rest: Int32 = 0
            guard ioctl(descriptor, UInt(TIOCOUTQ), &rest) == 0 else { throw Failure("no socket to ask") }
            return rest == 0 ? () : nil
        }
    }

    /// Sends until the daemon has taken nothing for half a second, and returns the number of accepted bytes.
    func sendWhileTaken(_ raw: [UInt8]) -> Int {
        var sent = 0
        while sent < raw.count {
            guard isReady(POLLOUT, within: 0.5) else { return sent }
            let count = raw.withUnsafeBytes {
                Foundation.send(
                    descriptor, $0.baseAddress! + sent, $0.count - sent,
                    Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            if count > 0 { sent += count }
        }
        return sent
    }
}

extension RawClient {
    /// Sends, discards lines received during that, and returns their number. A daemon that is not read does not read.
    func exchange(_ raw: [UInt8]) throws -> Int {
        var sent = 0
        var lines = 0
        while sent < raw.count {
            var ready = pollfd(fd: descriptor, events: Int16(POLLIN | POLLOUT), revents: 0)
            guard poll(&ready, 1, 240_000) == 1 else { throw Failure("the daemon takes and gives nothing for 240 s") }
            if ready.revents & Int16(POLLIN | POLLHUP | POLLERR) != 0 {
                guard try receive(before: .now + .seconds(1)) else { throw Failure("the daemon closed the connection") }
                lines += bytes.count { $0 == UInt8(ascii: "\n") }
                bytes.removeAll(keepingCapacity: true)
            }
            guard ready.revents & Int16(POLLOUT) != 0 else { continue }
            let count = raw.withUnsafeBytes {
                Foundation.send(
                    descriptor, $0.baseAddress! + sent, $0.count - sent, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            if count > 0 { sent += count }
        }
        return lines
    }
}

// MARK: - Reading

extension RawClient {
    /// Returns the next line; `nil` at the end of the connection.
    func line(within seconds: Double = 240) throws -> String? {
        let deadline = ContinuousClock.now + .seconds(seconds)
        var searched = start
        while true {
            if let newline = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { discard(upTo: newline + 1) }
                return String(decoding: bytes[start..<newline], as: UTF8.self)
            }
            searched = bytes.count
            guard try receive(before: deadline) else { return nil }
        }
    }

    /// Returns the next bytes; fewer at the end of the connection, or when no more arrive for a while.
    func bytes(_ count: Int) throws -> [UInt8] {
        while bytes.count - start < count, isReadable(within: 0.2), try receive(before: .now + .seconds(60)) {}
        let end = min(start + count, bytes.count)
        defer { discard(upTo: end) }
        return Array(bytes[start..<end])
    }

    /// Reads lines until one contains the text, and returns them all.
    func lines(until text: String, within seconds: Double = 240) throws -> [String] {
        var lines: [String] = []
        while let line = try line(within: seconds) {
            lines.append(line)
            if line.contains(text) { return lines }
        }
        throw Failure("the connection ended before \(text)")
    }

    /// Sends a line and returns the next received one.
    func reply(to request: String) throws -> String {
        try send(request)
        guard let reply = try line() else { throw Failure("the connection ended after \(request.prefix(200))") }
        return reply
    }

    /// Whether nothing arrives for a while.
    func isSilent(forSeconds seconds: Double = 0.2) -> Bool {
        start == bytes.count && !isReadable(within: seconds)
    }

    private func isReadable(within seconds: Double) -> Bool { isReady(POLLIN, within: seconds) }

    private func isReady(_ event: Int32, within seconds: Double) -> Bool {
        var waiting = pollfd(fd: descriptor, events: Int16(event), revents: 0)
        var count: Int32
        // An interrupting signal says nothing about the socket.
        repeat { count = poll(&waiting, 1, Int32(seconds * 1000)) } while count < 0 && errno == EINTR
        return count > 0
    }

    private func discard(upTo end: Int) {
        start = end
        guard start > 1 << 20 || start == bytes.count else { return }
        bytes.removeFirst(start)
        start = 0
    }

    /// Returns false at the end of the connection.
    private func receive(before deadline: ContinuousClock.Instant) throws -> Bool {
        let rest = ContinuousClock.now.duration(to: deadline)
        guard rest > .zero else { throw Failure("no line came in time; unfinished: \(bytes[start...].prefix(200))") }
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let milliseconds = rest.components.seconds * 1000 + rest.components.attoseconds / 1_000_000_000_000_000
        guard poll(&waiting, 1, Int32(clamping: milliseconds + 1)) > 0 else { return true }
        var part = [UInt8](repeating: 0, count: 1 << 16)
        let count = part.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
        if count < 0, errno == EINTR { return true }
        if count <= 0 { return false }
        bytes += part[..<count]
        return true
    }
}
