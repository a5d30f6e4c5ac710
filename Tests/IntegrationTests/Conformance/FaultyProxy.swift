import Foundation

/// What one connection to a faulty daemon sends and is sent, each line without its line feed. Of the two directions each has a
/// value of its own.
protocol FaultyLines: Sendable {
    /// What the daemon gets instead of a line: lines, with their line feeds.
    mutating func requests(for line: [UInt8]) -> [UInt8]
    /// The same for the client.
    mutating func answers(for line: [UInt8]) -> [UInt8]
}

/// Stands between clients and a daemon, and makes of what goes by what a faulty daemon would send, or do.
///
/// Every connection has two threads; blocking ones, so that they are in nobody's way.
final class FaultyProxy: Sendable {
    let socket: String
    private let listener: Int32

    /// - Parameter lines: for each connection.
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
    /// Until the end of one of the two.
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
    /// How far away it is.
    fileprivate func firstLineFeed(from start: Int) -> Int? {
        withUnsafeBytes { bytes in
            guard start < bytes.count, let base = bytes.baseAddress else { return nil }
            return memchr(base + start, 0x0A, bytes.count - start).map { UnsafeRawPointer($0) - (base + start) }
        }
    }
}
