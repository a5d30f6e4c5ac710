import Testing

@testable import DiffableStore

struct SubordinateUsersTests {
    private func users(_ text: String) -> SubordinateUsers {
        SubordinateUsers(text, daemonUserID: 990) { ["alice": 1_000, "bob": 1_001, "root": 0, "diffabled": 990][$0] }
    }

    @Test func `an id in a range counts for the user of the range, and no other id does`() {
        let users = users("alice:100000:65536\nbob:165536:65536\n1002:300000:1\n")
        #expect(users.user(of: 99_999) == 99_999)
        #expect(users.user(of: 100_000) == 1_000)
        #expect(users.user(of: 165_535) == 1_000)
        #expect(users.user(of: 165_536) == 1_001)
        #expect(users.user(of: 231_071) == 1_001)
        #expect(users.user(of: 231_072) == 231_072)
        #expect(users.user(of: 300_000) == 1_002)
        #expect(users.user(of: 300_001) == 300_001)
    }

    @Test func `where ranges overlap the first one decides`() {
        let users = users("alice:100000:10\nbob:100005:10\n")
        #expect(users.user(of: 100_009) == 1_000)
        #expect(users.user(of: 100_010) == 1_001)
    }

    @Test func `a range makes nobody root, and does not move those who have ranges`() {
        let users = users("root:100000:10\ndiffabled:200000:10\nalice:0:2000\nbob:400000:4294967295\n")
        #expect(users.user(of: 100_000) == 100_000)
        #expect(users.user(of: 100_009) == 100_000)
        #expect(users.user(of: 200_009) == 200_000)
        for id: UInt32 in [0, 990, 1_000, 1_001] { #expect(users.user(of: id) == id) }
        #expect(users.user(of: 5) == 1_000)
        #expect(users.user(of: .max) == 1_001)
    }

    @Test(arguments: [
        "", "\n\n", "alice", "alice:100000", "alice:x:10", "alice:100000:0", "alice:-1:10", "nobody:100000:10",
        "alice:100000:10:1", "# alice:100000:10", ":100000:10", "alice:99999999999:10", "\u{0}\u{FF}:::::\n:::",
    ])
    func `a line that says nothing gives nothing to anybody`(text: String) {
        #expect(users(text).user(of: 100_000) == 100_000)
    }
}
