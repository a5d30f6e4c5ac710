import DiffableJSON
import Testing

struct MemberNamesTests {
    /// Names of all lengths with a comparison of their own, and some that differ in one byte.
    enum Member: UInt8, MemberName {
        case a, id, op, url, list, last, items, section, revision, operations, usingReloadData, reconfiguredItems
        case nameOfTwentyFourLettersX

        static let names = MemberNames(Member.self)
        static func named(_ name: JSONString) -> Member? { names.number(of: name).flatMap(Self.init(rawValue:)) }
    }

    @Test(arguments: Member.allCases)
    func `a member has its own name and no other`(member: Member) throws {
        #expect(try named(member.name) == member)
        let name = Array(member.name.utf8)
        for index in name.indices {
            var other = name
            other[index] = UInt8(ascii: "_")
            #expect(try named(String(decoding: other, as: UTF8.self)) == nil)
            #expect(try named(String(decoding: name[..<index] + "_".utf8, as: UTF8.self)) == nil)
        }
        #expect(try named(member.name + "x") == nil)
    }

    @Test func `a name may be written with escapes`() throws {
        #expect(try named(#"\u006cist"#) == .list)
        #expect(try named(#"using\u0052eloadData"#) == .usingReloadData)
        #expect(try named(#"\u006cisp"#) == nil)
    }

    private func named(_ name: String) throws -> Member? {
        try Array("\"\(name)\"".utf8).withUnsafeBytes { bytes in
            var scanner = JSONScanner(bytes, depthMax: 1)
            return Member.named(try scanner.string())
        }
    }
}
