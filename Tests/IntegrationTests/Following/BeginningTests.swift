import Diffable
import DiffableServer
import Foundation
import Testing

extension Integration {
    /// Many clients that begin to follow a long list at once.
    struct BeginningTests {
        private let server: TestServer
        private static let rows = 5_000

        init() throws {
            server = try TestServer()
            try server.succeed("create", "rows", "--volatile")
            let text = String(repeating: "x", count: 250)
            let rows = (1...Self.rows).map { #"{"id":"\#($0)","text":"\#(text)"}"# }
            try server.succeed("apply", "rows", "--from", "ndjson", input: rows.joined(separator: "\n"))
        }

        /// Reads a line from each client in turn until all are complete.
        private func read(_ clients: [RawClient]) throws -> [[String]] {
            var lines = clients.map { _ in [String]() }
            func isWhole(_ lines: [String]) -> Bool { lines.last?.hasSuffix("]}}") == true }
            while let shortest = lines.map(\.count).min(), !lines.allSatisfy(isWhole) {
                for index in lines.indices where lines[index].count == shortest && !isWhole(lines[index]) {
                    lines[index].append(try #require(try clients[index].line()))
                }
            }
            return lines
        }

        @Test func `have it encoded about once for all of them`() throws {
            let request = #"{"method":"subscribe","params":{"list":"rows"}}"#
            let one = try server.connect()
            try one.send(request)
            let expected = try read([one])
            let pagesOfOne = try server.pagesMade
            #expect(pagesOfOne > 15)

            let clients = try (0..<100).map { _ in try server.connect() }
            for client in clients { try client.send(request) }
            let lines = try read(clients)
            #expect(lines.allSatisfy { $0 == expected[0] })
            // The first fills its socket before the others connect, and on a busy machine they connect one after the other.
            let pagesOfAll = try server.pagesMade - pagesOfOne
            #expect(pagesOfAll < 15 * pagesOfOne, "\(pagesOfAll) pages for a hundred, \(pagesOfOne) for one")
            #expect(try server.pagesKept == 0)
        }

        @Test func `leave nothing behind when they go in the middle`() throws {
            let clients = try (0..<10).map { _ in try server.connect() }
            for client in clients {
                _ = try client.reply(to: #"{"id":1,"method":"subscribe","params":{"list":"rows"}}"#)
            }
            for client in clients.dropFirst(5) { for _ in 0..<8 { _ = try client.line() } }
            for client in clients { client.close() }
            try eventually("server that keeps no page") { try server.pagesKept == 0 ? () : nil }
        }
    }
}
