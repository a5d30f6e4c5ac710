import Foundation

/// Replaces the lines of one connection. Lines have no line feed. Each direction has a value of its own.
protocol FaultyLines: Sendable {
    /// Returns the lines for the daemon instead of this one, with their line feeds.
    mutating func requests(for line: [UInt8]) -> [UInt8]
    /// Returns the lines for the client instead of this one.
    mutating func answers(for line: [UInt8]) -> [UInt8]
}

/// A proxy that changes lines to simulate a faulty daemon.
///
/// Each connection uses two threads, which block so that they disturb nothing else.
final class FaultyProxy: Sendable {
    let socket: String
    private let listener: Int32

    /// - Parameter lines: makes the state of each connection.
    init(at socket: String, to target: String, _ lines: @escaping @Sendable () -> any FaultyLines) throws {
        self.socket = socket
        listener = try UnixSocket.listen(at: socket)
        Thread.detachNewThread { [listener] in
            while case let client = accept(listener, nil, nil), client >= 0 {
                if let daemon = try? UnixSocket.connect(to: target) {
                    Self.serve(client, daemon, lines())
                } else {
                    _ = Foundation.close(client)
                }
            }
        }
    }

    deinit {
        _ = shutdown(listener, Int32(SHUT_RDWR))
        _ = Foundation.close(listener)
    }

    private static func serve(_ client: Int32, _ daemon: Int32, _ lines: any FaultyLines) {
        let ended = DispatchGroup()
        @Sendable func run(_ copy: @escaping @Sendable () -> Void) {
            ended.enter()
            Thread.detachNewThread {
                copy()
                // Both directions end together.
                _ = shutdown(client, Int32(SHUT_RDWR))
                _ = shutdown(daemon, Int32(SHUT_RDWR))
                ended.leave()
            }
        }
        run {
            var lines = lines
            UnixSocket.copyLines(from: client, to: daemon) { lines.requests(for: $0) }
        }
        run {
            var lines = lines
            UnixSocket.copyLines(from: daemon, to: client) { lines.answers(for: $0) }
        }
        ended.notify(queue: .global()) {
            _ = Foundation.close(client)
            _ = Foundation.close(daemon)
        }
    }
}

extension UnixSocket {
    /// Copies until either end closes.
    fileprivate static func copyLines(from source: Int32, to target: Int32, _ replaced: ([UInt8]) -> [UInt8]) {
        var rest: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = recv(source, &buffer, buffer.count, 0), count > 0 {
            rest += buffer[..<count]
            var start = 0
            while let length = rest.firstLineFeed(from: start) {
                let bytes = replaced(Array(rest[start..<start + length]))
                guard bytes.withUnsafeBytes({ send($0.baseAddress, bytes.count, to: target) }) else { return }
                start += length + 1
            }
            rest.removeFirst(start)
        }
    }
}

extension [UInt8] {
    /// Returns the distance of the first line feed.
    fileprivate func firstLineFeed(from start: Int) -> Int? {
        withUnsafeBytes { bytes in
            guard start < bytes.count, let base = bytes.baseAddress else { return nil }
            return memchr(base + start, 0x0A, bytes.count - start).map { UnsafeRawPointer($0) - (base + start) }
        }
    }
}
