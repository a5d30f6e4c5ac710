import Foundation

/// A TCP connection to a server, which a test uses byte by byte. Unchecked, because one thread at a time reads, and one sends.
final class Browser: @unchecked Sendable {
    private let descriptor: Int32
    private var pending: [UInt8] = []

    /// - Parameter receiveBuffer: bytes of the kernel's buffer; small, so that a browser that stops reading is noticed soon.
    init(port: Int, receiveBuffer: Int32? = nil) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        if var size = receiveBuffer { setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, 4) }
        // Only a hopeless wait takes so long.
        var timeout = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout.size(ofValue: timeout)))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, 16) }
        }
        guard result == 0 else { throw Failure("no connection: \(String(cString: strerror(errno)))") }
    }

    deinit { close(descriptor) }

    func send(_ text: String) { send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Sends without waiting; returns the number of bytes that the kernel took.
    func trySend(_ bytes: [UInt8]) -> Int {
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        return max(0, bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, flags) })
    }

    /// Reads once; false at the end of the connection.
    private func readMore() throws -> Bool {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = read(descriptor, &buffer, buffer.count)
        if count < 0, errno == EAGAIN { throw Failure("nothing arrives; so far: \(pending.count) bytes") }
        guard count > 0 else { return false }
        pending += buffer[..<count]
        return true
    }

    private func take(_ count: Int) throws -> [UInt8] {
        while pending.count < count {
            guard try readMore() else { throw Failure("the connection ended after \(pending.count) of \(count) bytes") }
        }
        defer { pending.removeFirst(count) }
        return Array(pending.prefix(count))
    }

    /// Everything up to the end of the connection.
    func rest() throws -> String {
        while try readMore() {}
        defer { pending = [] }
        return String(decoding: pending, as: UTF8.self)
    }

    func text(upTo end: String) throws -> String {
        while true {
            if let range = pending.firstRange(of: Array(end.utf8)) {
                return String(decoding: try take(range.upperBound), as: UTF8.self)
            }
            guard try readMore() else { throw Failure("no \(end) in \(String(decoding: pending, as: UTF8.self))") }
        }
    }

    /// The head of a response.
    func head() throws -> String { try text(upTo: "\r\n\r\n") }

    // MARK: - WebSockets

    func upgrade(_ token: String, _ more: String = "") throws -> String {
        send(
            "GET /socket HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                + "Sec-WebSocket-Protocol: diffable.v1, diffable.token.\(token)\r\n\(more)\r\n")
        return try head()
    }

    static func frame(_ text: String, opcode: UInt8 = 1, isLast: Bool = true, isMasked: Bool = true) -> [UInt8] {
        let payload = Array(text.utf8)
        var frame = [(isLast ? 0x80 : 0) | opcode]
        let mark: UInt8 = isMasked ? 0x80 : 0
        switch payload.count {
        case ..<126: frame.append(mark | UInt8(payload.count))
        case ..<65_536: frame += [mark | 126, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
        default: frame += [mark | 127] + (0..<8).reversed().map { UInt8(payload.count >> ($0 * 8) & 255) }
        }
        let mask: [UInt8] = [1, 2, 3, 4]
        return isMasked ? frame + mask + payload.enumerated().map { $1 ^ mask[$0 & 3] } : frame + payload
    }

    struct Frame {
        var isLast: Bool
        var opcode: UInt8
        var payload: [UInt8]
    }

    func nextFrame() throws -> Frame {
        let first = try take(2)
        var length = Int(first[1] & 0x7F)
        if length >= 126 { length = try take(length == 126 ? 2 : 8).reduce(0) { $0 << 8 | Int($1) } }
        return Frame(isLast: first[0] & 0x80 != 0, opcode: first[0] & 0x0F, payload: try take(length))
    }

    /// The next message, and the number of its fragments. A close frame is `close CODE`.
    func nextMessage() throws -> (text: String, fragments: Int) {
        var (payload, fragments): ([UInt8], Int) = ([], 0)
        while true {
            let frame = try nextFrame()
            if frame.opcode == 8 { return ("close \(Int(frame.payload[0]) << 8 | Int(frame.payload[1]))", 1) }
            guard frame.opcode == (fragments == 0 ? 1 : 0) else { throw Failure("an unexpected frame \(frame.opcode)") }
            payload += frame.payload
            fragments += 1
            if frame.isLast { return (String(decoding: payload, as: UTF8.self), fragments) }
        }
    }
}
