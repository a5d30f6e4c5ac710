import Foundation
import Synchronization
import TestSupport

/// A proxy between clients and a daemon that cuts each connection after some bytes of the daemon.
///
/// Each connection uses two threads, which block so that they disturb nothing else.
final class CuttingProxy: Sendable {
    let socket: String
    private let target: String
    private let listener: Int32
    private let state: Mutex<State>

    private struct State {
        var random: SplitMix64
        /// The range of bytes from the daemon after which the next connection is cut.
        var limits: Range<Int>
        var cuts = 0
        var visits = 0
    }

    /// - Parameter limits: the range of bytes after which a connection is cut.
    init(at socket: String, to target: String, limits: Range<Int>, seed: UInt64) throws {
        self.socket = socket
        self.target = target
        self.state = Mutex(State(random: SplitMix64(seed: seed), limits: limits))
        self.listener = try UnixSocket.listen(at: socket)
        Thread.detachNewThread { [listener, self] in
            while case let client = accept(listener, nil, nil), client >= 0 { self.serve(client) }
        }
    }

    func close() {
        _ = shutdown(listener, Int32(SHUT_RDWR))
        _ = Foundation.close(listener)
    }

    var cuts: Int { state.withLock { $0.cuts } }
    /// The number of connections so far.
    var visits: Int { state.withLock { $0.visits } }

    /// Cuts nothing from the next connection on.
    func letEverythingThrough() { state.withLock { $0.limits = Int.max - 1..<Int.max } }

    private func serve(_ client: Int32) {
        state.withLock { $0.visits += 1 }
        guard let daemon = try? UnixSocket.connect(to: target) else {
            _ = Foundation.close(client)
            return
        }
        let limit = state.withLock { $0.limits.randomElement(using: &$0.random) ?? 0 }
        let ends = Mutex(2)
        // Both directions end together; the last one to end closes.
        @Sendable func finish() {
            _ = shutdown(client, Int32(SHUT_RDWR))
            _ = shutdown(daemon, Int32(SHUT_RDWR))
            let rest = ends.withLock { ends in
                ends -= 1
                return ends
            }
            if rest > 0 { return }
            _ = Foundation.close(client)
            _ = Foundation.close(daemon)
        }
        Thread.detachNewThread {
            UnixSocket.copy(from: client, to: daemon, limit: .max)
            finish()
        }
        Thread.detachNewThread {
            let isCut = UnixSocket.copy(from: daemon, to: client, limit: limit)
            if isCut { self.state.withLock { $0.cuts += 1 } }
            finish()
        }
    }
}

enum UnixSocket {
    static func listen(at path: String) throws -> Int32 {
        let descriptor = try make()
        guard withUnixAddress(path, { bind(descriptor, $0, $1) }) == 0, Foundation.listen(descriptor, 128) == 0 else {
            throw Failure("no socket at \(path): \(String(cString: strerror(errno)))")
        }
        return descriptor
    }

    static func connect(to path: String) throws -> Int32 {
        let descriptor = try make()
        guard withUnixAddress(path, { Foundation.connect(descriptor, $0, $1) }) == 0 else {
            _ = close(descriptor)
            throw Failure("no connection to \(path)")
        }
        return descriptor
    }

    /// Copies until either end closes, or up to the limit in bytes. Returns whether the limit was reached.
    @discardableResult
    static func copy(from source: Int32, to target: Int32, limit: Int) -> Bool {
        var rest = limit
        var buffer = [UInt8](repeating: 0, count: 4096)
        while rest > 0 {
            let count = recv(source, &buffer, min(buffer.count, rest), 0)
            if count <= 0 { return false }
            guard buffer.withUnsafeBytes({ send($0.baseAddress, count, to: target) }) else { return false }
            rest -= count
        }
        return true
    }

    static func send(_ bytes: UnsafeRawPointer?, _ count: Int, to target: Int32) -> Bool {
        var sent = 0
        while sent < count, let bytes {
            let written = Foundation.send(target, bytes + sent, count - sent, Int32(MSG_NOSIGNAL))
            if written <= 0 { return false }
            sent += written
        }
        return true
    }

    private static func make() throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure("no socket: \(String(cString: strerror(errno)))") }
        return descriptor
    }
}
