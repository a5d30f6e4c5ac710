import DiffableServer
import Testing

extension Integration {
    /// Clients with few requests next to one that has sent many at once.
    struct TurnTests {
        @Test func `few of many lines that came at once are answered before another has its turn`() throws {
            let server = try TestServer()
            // Suggesting a name for an unknown one takes longer than a correct name.
            let lines = (1...1_500).map { #"{"id":\#($0),"method":"transact","params":{"lisst":"a"}}"# }
            let taken = try server.linesTaken(of: lines, besideRequests: 60)
            let turns = Set(taken).count
            // A server that first answered all requests of one client would need two.
            #expect(turns > 5, "\(turns) turns for 60 requests: \(taken)")
            #expect(taken[59] - taken[0] < 40 * turns, "\(taken)")
        }
    }
}
