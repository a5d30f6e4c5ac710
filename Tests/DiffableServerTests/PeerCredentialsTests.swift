import Glibc
import Testing

@testable import DiffableServer

struct PeerCredentialsTests {
    @Test func `the other end of a socket is known by process, user and all its groups`() throws {
        var ends: [CInt] = [0, 0]
        #expect(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        let credentials = try #require(PeerCredentials(of: ends[0]))
        #expect(credentials.processID == Int(getpid()))
        #expect(credentials.userID == geteuid() && credentials.groupID == getegid())
        var groups = [gid_t](repeating: 0, count: Int(getgroups(0, nil)))
        #expect(getgroups(CInt(groups.count), &groups) == CInt(groups.count))
        #expect(credentials.groups.sorted() == groups.sorted())
    }

    @Test func `what is no socket has no peer`() {
        #expect(PeerCredentials(of: -1) == nil)
    }
}
