import Testing

@testable import DiffableClient

/// The sockets that a client trusts. `TrustTests` of the integration tests uses real ones.
struct SocketTrustTests {
    private typealias FileStatus = SocketTrust.FileStatus

    private func objection(
        to owner: UInt32, in directories: [FileStatus], as userID: UInt32 = 1_000, daemon: UInt32? = 900
    ) -> String? {
        SocketTrust(userID: userID, daemonUserID: daemon)
            .objection(to: FileStatus(path: "/d/socket", owner: owner, mode: 0o140666), in: directories)
    }

    private let root = FileStatus(path: "/", owner: 0, mode: 0o40755)

    @Test(arguments: [(UInt32(0), true), (1_000, true), (900, true), (1_001, false)])
    func `the socket belongs to root, the user or the daemon's user`(owner: UInt32, isTrusted: Bool) {
        #expect((objection(to: owner, in: [root]) == nil) == isTrusted)
    }

    @Test func `root talks to everybody's daemon, in a directory of root's or of that user's`() {
        let home = FileStatus(path: "/run/user/1001", owner: 1_001, mode: 0o40700)
        #expect(objection(to: 1_001, in: [home, root], as: 0) == nil)
        #expect(objection(to: 1_002, in: [home, root], as: 0)?.contains("belongs to the user 1001") == true)
    }

    @Test(arguments: [UInt32(0o755), 0o700, 0o1777, 0o1775, 0o41777])
    func `nobody else can write in its directory, or the sticky bit keeps what is there`(mode: UInt32) {
        #expect(objection(to: 0, in: [FileStatus(path: "/d", owner: 0, mode: mode), root]) == nil)
    }

    @Test(arguments: [UInt32(0o777), 0o775, 0o757, 0o720])
    func `a directory that others can write is refused, wherever above the socket it is`(mode: UInt32) {
        let open = FileStatus(path: "/d", owner: 0, mode: 0o40000 | mode)
        for directories in [[open, root], [FileStatus(path: "/d/e", owner: 1_000, mode: 0o700), open, root]] {
            let objection = objection(to: 1_000, in: directories)
            #expect(objection?.contains("others can write in /d (mode \(String(mode, radix: 8)))") == true)
            #expect(objection?.contains("chmod go-w /d") == true)
        }
    }

    @Test func `a directory of somebody else is refused, whatever its mode`() {
        let foreign = FileStatus(path: "/d", owner: 1_001, mode: 0o40700)
        #expect(objection(to: 1_000, in: [foreign, root])?.contains("/d belongs to the user 1001") == true)
    }
}
