import DiffableProtocol
import Foundation
import Testing

@testable import DiffableWeb

@Suite struct LinkTests {
    private let directory = Scratch()

    private var file: LinkFile { LinkFile(directory: directory.path + "/state") }

    private func link(_ name: String, end: Int? = nil) -> Link {
        Link(name: name, token: Link.randomToken(), lists: ["a\"b", "menu*"], may: .ask, end: end)
    }

    @Test func `a token is 32 random bytes as base64url`() throws {
        let tokens = (0..<100).map { _ in Link.randomToken() }
        #expect(Set(tokens).count == 100)
        for token in tokens {
            let base64 = token.replacing("-", with: "+").replacing("_", with: "/") + "="
            #expect(try #require(Data(base64Encoded: base64)).count == 32)
        }
        // Each bit is set about half the time.
        let bytes = tokens.flatMap {
            Data(base64Encoded: $0.replacing("-", with: "+").replacing("_", with: "/") + "=") ?? Data()
        }
        let bits = bytes.reduce(0) { $0 + $1.nonzeroBitCount }
        #expect((12_000...13_600).contains(bits), "\(bits) of 25,600 bits")
    }

    @Test func `links are kept in a file that only its owner can read`() throws {
        let links = [link("one"), link("two", end: 7)]
        #expect(try file.read().isEmpty)
        for link in links { try file.add(link) }
        #expect(try file.read() == links)
        #expect(throws: LinkError.taken("one")) { try file.add(link("one")) }
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        try file.remove("one")
        #expect(try file.read() == [links[1]])
        #expect(throws: LinkError.missing("one")) { try file.remove("one") }
        #expect(try FileManager.default.contentsOfDirectory(atPath: file.directory) == ["links.json"])
    }

    @Test func `commands at the same time lose no link`() async throws {
        let file = file
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask {
                    try file.add(Link(name: "\(number)", token: Link.randomToken(), lists: ["*"], may: .see))
                }
            }
            try await group.waitForAll()
        }
        #expect(try Set(file.read().map(\.name)) == Set((0..<20).map { "\($0)" }))
    }

    @Test(arguments: [
        "", "{", "[]", #"{"links":[{"name":"a","token":"","lists":["*"],"may":"see"}]}"#,
        #"{"links":[{"name":"a","token":"\#(String(repeating: "t", count: 43))","lists":["*"],"may":"all"}]}"#,
        #"{"links":[{"token":"\#(String(repeating: "t", count: 43))","lists":["*"],"may":"see"}]}"#,
        #"{"links":[{"name":"a","token":"\#(String(repeating: "t", count: 43))","lists":["*"],"may":"see","edn":7}]}"#,
    ])
    func `a file with a mistake gives no access`(text: String) throws {
        try file.add(link("one"))
        try Data(text.utf8).write(to: URL(filePath: file.path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        #expect(throws: LinkError.self) { try file.read() }
        var complaints = 0
        #expect(CurrentLinks(file).read { _ in complaints += 1 }.isEmpty)
        #expect(complaints == 1)
    }

    @Test(arguments: [(0o644, 0o700), (0o640, 0o700), (0o622, 0o700), (0o600, 0o777)])
    func `a file that others can read or write is not used until its mode is right again`(
        mode: Int, directoryMode: Int
    ) throws {
        let link = link("one")
        try file.add(link)
        let current = CurrentLinks(file)
        func read(_ mode: Int, _ directoryMode: Int) throws -> [Link] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
            try FileManager.default.setAttributes([.posixPermissions: directoryMode], ofItemAtPath: file.directory)
            return current.read { _ in }
        }
        #expect(try read(0o600, 0o700) == [link])
        #expect(try read(mode, directoryMode).isEmpty)
        #expect(try read(0o600, 0o700) == [link])
    }

    @Test func `a pipe in place of the file is refused, not waited for`() throws {
        try file.add(link("one"))
        try FileManager.default.removeItem(atPath: file.path)
        #expect(mkfifo(file.path, 0o600) == 0)
        #expect(throws: LinkError.self) { try file.read() }
    }

    @Test func `a running server sees each change of the file`() throws {
        let current = CurrentLinks(file)
        #expect(current.read { _ in }.isEmpty)
        for number in 0..<20 {
            let link = link("\(number)")
            try file.add(link)
            #expect(current.read { _ in }.last == link)
            try file.remove(link.name)
            #expect(!current.read { _ in }.contains(link))
        }
    }

    @Test func `the rights of a link are those that the contract names`() {
        let see: Set = [
            "hello", "ping", "lists", "followLists", "subscribe", "setView", "unsubscribe", "snapshot", "schemas",
        ]
        func methods(_ may: Permission) -> Set<String> {
            Set(Link(name: "a", token: "", lists: [], may: may).methods.map(\.rawValue))
        }
        #expect(methods(.see) == see)
        #expect(methods(.ask) == see.union(["perform", "propose", "expand"]))
        #expect(methods(.change) == see.union(["perform", "propose", "expand", "transact", "undo"]))
    }
}

/// A temporary directory of this test.
final class Scratch: Sendable {
    let path: String

    init() {
        var template = Array("/tmp/web-XXXXXX".utf8CString)
        path = mkdtemp(&template).map { String(cString: $0) } ?? "/nowhere"
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
