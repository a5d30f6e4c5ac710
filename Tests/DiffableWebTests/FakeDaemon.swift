import Foundation
import Synchronization
import TestSupport

/// A daemon that answers the bridge's own requests, and handles other lines as a test needs.
final class FakeDaemon: Sendable {
    let path: String
    /// All lines that arrived, of all connections.
    let lines = Mutex<[String]>([])
    /// Bytes that the connections' kernel took.
    let sent = Atomic<Int>(0)
    /// Connections that were accepted.
    private let accepted = Atomic<Int>(0)
    private let open = Mutex<[Int32]>([])
    private let listener: Int32
    private let knowsRestrict: Bool

    init(in directory: Scratch, knowsRestrict: Bool = true) throws {
        path = "\(directory.path)/daemon"
        self.knowsRestrict = knowsRestrict
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard withUnixAddress(path, { bind(listener, $0, $1) }) == 0, listen(listener, 128) == 0 else {
            throw Failure("the daemon cannot listen: \(String(cString: strerror(errno)))")
        }
        Thread { [self] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                accepted.add(1, ordering: .relaxed)
                open.withLock { $0.append(connection) }
                Thread { [self] in serve(connection) }.start()
            }
        }.start()
    }

    deinit { stop() }

    /// Ends all connections, as a daemon that ends.
    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        open.withLock { connections in
            for connection in connections { shutdown(connection, Int32(SHUT_RDWR)) }
            connections = []
        }
    }

    var connectionCount: Int { accepted.load(ordering: .relaxed) }

    private func serve(_ connection: Int32) {
        defer {
            // Before another file has its number, which `stop` would shut down.
            open.withLock { $0.removeAll { $0 == connection } }
            close(connection)
        }
        var pending: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(connection, &buffer, buffer.count)
            guard count > 0 else { return }
            pending += buffer[..<count]
            while let end = pending.firstIndex(of: 10) {
                let line = String(decoding: pending[..<end], as: UTF8.self)
                pending.removeSubrange(...end)
                lines.withLock { $0.append(line) }
                guard answer(line, on: connection) else { return }
            }
        }
    }

    private func answer(_ line: String, on connection: Int32) -> Bool {
        func say(_ text: String) -> Bool { send(Array((text + "\n").utf8), on: connection) }
        if line.contains(#""method":"restrict""#), !knowsRestrict {
            return say(
                #"{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"no method","data":{"name":"methodNotFound"}}}"#
            )
        }
        for method in ["hello", "restrict", "ping"] where line.contains(#""method":"\#(method)""#) {
            return say(#"{"jsonrpc":"2.0","id":1,"result":{}}"#)
        }
        if line.contains("cutOff") {
            // Ends in the middle of its reply.
            _ = send(Array((#"{"jsonrpc":"2.0","id":3,"result":{"list":"cutOff","snapshot":["#).utf8), on: connection)
            return false
        }
        if line.contains("noSuch") {
            return say(#"{"jsonrpc":"2.0","id":3,"error":{"code":-32004,"message":"no","data":{"name":"noSuchList"}}}"#)
        }
        if line.contains(#""method":"snapshot""#) {
            let items = (0..<20_000).map { #"{"id":"\#($0)"}"# }.joined(separator: ",")
            return say(#"{"jsonrpc":"2.0","id":3,"result":{"list":"tasks","snapshot":[\#(items)]}}"#)
        }
        if line.contains(#""method":"subscribe""#) {
            return say(#"{"jsonrpc":"2.0","id":3,"result":{"subscription":1,"epoch":"E","revision":1}}"#)
                && say(
                    #"{"jsonrpc":"2.0","method":"reset","params":{"revision":1,"epoch":"E","operations":[],"more":true}}"#
                )
                && say(#"{"jsonrpc":"2.0","method":"reset","params":{"revision":1,"epoch":"E","operations":[]}}"#)
                && say(#"{"jsonrpc":"2.0","method":"changes","params":{"from":1,"revision":2,"operations":[]}}"#)
        }
        if line == "flood" {
            var number = 0
            while true {
                let lines = (number..<number + 100).map {
                    "{\"row\":\($0),\"text\":\"\(String(repeating: "x", count: 80))\"}\n"
                }
                number += 100
                guard send(Array(lines.joined().utf8), on: connection) else { return false }
            }
        }
        if line == "long" { return say(String(repeating: "é", count: 300_000)) }
        if line == "deaf" {
            // Reads nothing more, and lives.
            while open.withLock({ $0.contains(connection) }) { usleep(1_000) }
        }
        return say("echo \(line)")
    }

    private func send(_ bytes: [UInt8], on connection: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent.add(count, ordering: .relaxed)
            rest = rest.dropFirst(count)
        }
        return true
    }
}

struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
