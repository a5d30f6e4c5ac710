import DiffableServer
import Foundation
import Synchronization
import TestSupport
import Testing

extension Integration {
    /// Clients with little to ask beside one that has sent much at once.
    @Suite(.alone)
    struct TurnTests {
        @Test func `few of many lines that came at once are answered before another has its turn`() throws {
            let daemon = try TestServer(turn: .ofDebugBuilds)
            let good = try daemon.connect()
            // A name that is looked for among those there are takes longer than a right one.
            let lines = (1...8_000).map { #"{"id":\#($0),"method":"transact","params":{"lisst":"a"}}"# + "\n" }
            let name = #"{"id":0,"method":"hello","params":{"name":"busy"}}"# + "\n"
            let socket = daemon.socket
            let isDone = Mutex(false)
            Thread {
                let client = try? RawClient(connectingTo: socket)
                _ = try? client?.exchange(Array((name + lines.joined()).utf8))
                isDone.withLock { $0 = true }
            }.start()
            var requests: [Int] = []
            while !isDone.withLock({ $0 }) { requests.append(try Self.requestsOfBusy(good)) }
            let turns = zip(requests, requests.dropFirst()).filter { $0 < $1 }.count
            print("\(turns) turns")
            #expect(turns > lines.count / 40, "\(turns) turns for \(lines.count) lines")
        }

        /// How many lines of the other client were taken when this one was answered.
        private static func requestsOfBusy(_ client: RawClient) throws -> Int {
            let reply = try client.reply(to: #"{"id":1,"method":"clients"}"#)
            return reply.firstMatch(of: /"name":"busy".*?"requests":([0-9]+)/).flatMap { Int($0.1) } ?? 0
        }
    }
}
