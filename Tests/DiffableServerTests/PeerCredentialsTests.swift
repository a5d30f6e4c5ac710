import Glibc
import Testing

import DiffableProtocol
import DiffableStore
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

    @Test func `users that the daemon's user namespace does not map are not taken for one user`() throws {
        let whole = UnmappedID(map: "         0          0 4294967295\n", overflow: "65534\n")
        #expect(whole.id == nil && whole.replaced(65534) == 65534)
        let container = UnmappedID(map: "0 1000 1\n1 100000 65536\n", overflow: "65534\n")
        #expect(container.replaced(65534) == .max && container.replaced(1000) == 1000)
        #expect(UnmappedID(map: "0 0 1000\n1000 1000 4294966295\n", overflow: "65534\n").id == nil)
        #expect(UnmappedID(map: "", overflow: "") == UnmappedID(map: "0 0 1\n", overflow: "65534"))
        for clients in [AllowedUsers.own, .everyone] {
            let refusal = try #require(clients.refusal(of: Peer(nil, daemonUserID: 0), daemonUserID: 0))
            #expect(refusal.code == .permissionDenied && refusal.message.contains("uid_map"))
        }
    }

    @Test func `a descriptor that is not a socket has no peer`() {
        #expect(PeerCredentials(of: -1) == nil)
    }
}
