import Diffable
import DiffableServer
import DiffableStore
import Testing

@testable import diffabled

@Suite struct AccessSettingTests {
    private func rules(_ text: String) throws -> [AccessRules.Rule] {
        let file = try ScratchFile("access:\n\(text)")
        return try ConfigurationSources(file: file.path).configuration().access
    }

    private func refusal(of text: String) -> String {
        do {
            return "accepted: \(try rules(text))"
        } catch {
            return "\(error)"
        }
    }

    @Test func `rules are read with the numbers of their users and groups`() throws {
        let read = try rules(
            """
            - create: nobody
            - prefix: sys.
              create: {users: [root, 4711], groups: [root, 12]}
              owner: root
              group: "0"
              mode: 0640
            - prefix: public.
              create: everyone
            """)
        #expect(
            read == [
                .init(creators: .some(users: [], groups: [])),
                .init(
                    prefix: "sys.", creators: .some(users: [0, 4_711], groups: [0, 12]), owner: 0, group: 0,
                    mode: AccessMode(bits: 0o640)),
                .init(prefix: "public.", creators: .everyone),
            ])
    }

    @Test(arguments: [
        ("- prefx: a", "access[0]: unknown key \"prefx\". Did you mean prefix?"),
        (
            "- prefix: a\n- prefix: b\n  colour: red",
            "access[1]: unknown key \"colour\". The keys are prefix, create, owner, group, mode"
        ),
        ("- create: {user: [root]}", "access[0].create: unknown key \"user\". Did you mean users?"),
        ("- create: {users: [root, no-such-user]}", "access[0].create.users[1]: there is no user \"no-such-user\""),
        ("- create: {groups: [no-such-group]}", "access[0].create.groups[0]: there is no group \"no-such-group\""),
        ("- owner: 4294967295", "access[0].owner: there is no user \"4294967295\""),
        ("- group: no-such-group", "access[0].group: there is no group \"no-such-group\""),
        ("- mode: \"4755\"", "access[0].mode: \"4755\" has special bits"),
        ("- mode: rw", "access[0].mode: a mode must be up to four octal digits"),
        ("- create: some", "access[0].create: it must be everyone, nobody, or {users: [alice]"),
        ("- create: {users: root}", "access[0].create.users: it must be a list of names"),
        ("- prefix: a\n- prefix: a", "access[1]: there are two rules for the prefix \"a\""),
        ("- everyone", "access[0]: a rule must be a mapping"),
        ("  everyone", "access: it must be a list of rules"),
    ])
    func `what is wrong is named with its place`(text: String, message: String) {
        #expect(refusal(of: text).contains(message), "\(refusal(of: text))")
    }

    @Test func `a value that is no value is refused`() throws {
        #expect(throws: ConfigurationError.self) {
            try ConfigurationSources(file: ScratchFile("access:").path).configuration()
        }
    }

    @Test func `root serves everybody, and everybody else the own user, unless told otherwise`() throws {
        func clients(_ userID: UInt32, _ environment: [String: String]) throws -> AllowedUsers {
            try StartUp(
                flags: [.socket: "/s", .stateDirectory: "/d"], configurationFile: "/dev/null", received: [],
                processContext: ProcessContext(userID: userID, environment: environment)
            ).clients
        }
        #expect(try clients(0, [:]) == .everyone)
        #expect(try clients(1_000, [:]) == .own)
        #expect(try clients(1_000, ["DIFFABLED_CLIENTS": "everyone"]) == .everyone)
        #expect(try clients(0, ["DIFFABLED_CLIENTS": "own"]) == .own)
        #expect(throws: ConfigurationError.self) { try clients(0, ["DIFFABLED_CLIENTS": "all"]) }
    }
}
