import DiffableServer
import Testing

extension Integration {
    /// Clients with little to ask beside one that has sent much at once.
    struct TurnTests {
        @Test func `few of many lines that came at once are answered before another has its turn`() throws {
            let server = try TestServer(turn: .ofDebugBuilds)
            // A name that is looked for among those there are takes longer than a right one.
            let lines = (1...1_500).map { #"{"id":\#($0),"method":"transact","params":{"lisst":"a"}}"# }
            let taken = try server.linesTaken(of: lines, besideRequests: 60)
            let turns = Set(taken).count
            // One that answered all that came from one client first would need two.
            #expect(turns > 5, "\(turns) turns for 60 requests: \(taken)")
            #expect(taken[59] - taken[0] < 40 * turns, "\(taken)")
        }
    }
}
