import Diffable
import Testing

@testable import DiffableInput
@testable import diffablectl

struct DuplicateMemberTests {
    private let json = #"{"a":1,"b":{"c":1,"c":2},"\u0061":3}"#

    @Test func `a value is read at the last member`() throws {
        let view = JSONReader(try #require(Content.parsed(json)))
        #expect(view.member("a")?.json == "3")
        #expect(view.memberNames == ["b", "a"])
        #expect(view.value(at: try #require(FieldPath(".b.c")))?.json == "2")
        let item = Item(id: "i", content: Content.parsed(#"{"text":"old","text":"new"}"#))
        #expect(try ItemField(checking: ".text").text(in: item) == "new")
    }

    @Test func `names that are equal as strings and not as bytes are two`() throws {
        let view = JSONReader(try #require(Content.parsed("{\"\u{e9}\":1,\"e\u{301}\":2}")))
        #expect(view.members.count == 2 && view.member("\u{e9}")?.json == "1")
    }

    @Test func `rows are read so too`() throws {
        let list = try read(#"{"id":"a","id":"b","n":1,"n":2}"#, as: .ndjson)
        #expect(list.itemIdentifiers == ["b"])
    }
}
