import Diffable
import Testing

@testable import DiffableInput
@testable import diffablectl

struct FieldPathTests {
    @Test(arguments: [
        (".cpu", ["cpu"], "/cpu"), ("cpu", ["cpu"], "/cpu"), ("/cpu", ["cpu"], "/cpu"),
        (".owner.name", ["owner", "name"], "/owner/name"), ("owner.name", ["owner", "name"], "/owner/name"),
        ("/owner/name", ["owner", "name"], "/owner/name"), (".tags.0", ["tags", "0"], "/tags/0"),
        ("/a.b", ["a.b"], "/a.b"), ("/a~1b~0c", ["a/b~c"], "/a~1b~0c"), (".a/b", ["a/b"], "/a~1b"), (".", [], ""),
        ("/", [""], "/"), ("/e\u{301}~1", ["e\u{301}/"], "/e\u{301}~1"),
    ])
    func `a path is written with dots or with slashes`(text: String, names: [String], pointer: String) throws {
        let path = try #require(FieldPath(text))
        #expect(path.names == names)
        #expect(path.pointer == pointer)
    }

    @Test(arguments: ["", "..", ".a.", "a..b", "/a~", "/~2"])
    func `what is no path is refused`(text: String) { #expect(FieldPath(text) == nil) }

    @Test(arguments: ["cpu", "a.b", "/etc", "", "a~b", "x/y", "."])
    func `a member's name is shown as a path that finds it`(name: String) {
        #expect(FieldPath(FieldPath.naming(name))?.names == [name])
    }

    @Test func `a message shows the path to a member, and to a member of that`() throws {
        let content = try #require(Content.parsed(#"{"a":{"b":1,"c.d":2},"x.y":{"z":3},"/e":4,"IMAGE ID":5}"#))
        let paths = FieldCheck.paths(of: [content])
        #expect(paths == [".a", ".a.b", "/a/c.d", "/x.y", "/x.y/z", "/~1e", ".IMAGE ID"])
        for path in paths { #expect(try JSONReader(content).value(at: #require(FieldPath(path))) != nil, "\(path)") }
    }

    @Test(arguments: [
        ("name", "name"), (".owner.name", ".owner.name"), ("IMAGE ID", "\"IMAGE ID\""), ("a,b", "\"a,b\""),
        ("#", "\"#\""), ("$x", "'$x'"),
        ("it's $5", "'it'\\''s $5'"), ("%CPU", "%CPU"), ("a&b", "\"a&b\""), ("", "\"\""), ("a\nb", "\"a\\nb\""),
    ])
    func `a message shows an argument as a shell takes it`(text: String, expected: String) {
        #expect(FieldCheck.shellQuoted(text) == expected)
    }

    @Test(arguments: [
        (".a.b", "1"), ("/a/b", "1"), (".tags.1", #""y""#), (".tags.2", nil), (".tags.01", nil), (".a.b.c", nil),
        ("x.y", nil), ("/x.y", "2"), ("/x/y", nil), (".", #"{"a":{"b":1},"tags":["x","y"],"x.y":2}"#),
    ])
    func `a path leads into a content`(text: String, value: String?) throws {
        let content = JSONReader(try #require(Content.parsed(#"{"a":{"b":1},"tags":["x","y"],"x.y":2}"#)))
        #expect(content.value(at: try #require(FieldPath(text)))?.json == value)
    }

    @Test func `a row's field is a column of that name, or else the path`() throws {
        let row = JSONReader(try #require(Content.parsed(#"{"a":{"b":1},"x":{"y":3},"x.y":2}"#)))
        #expect(
            try ["x.y", ".x.y", "a.b", "/x/y"].map { row.value(ofRow: try #require(FieldPath($0)))?.json }
                == ["2", "2", "1", "3"])
    }

    @Test func `the bare names id and kind are the item's own`() throws {
        let item = Item(id: "milk", kind: "chore", content: Content.parsed(#"{"id":7,"kind":"x"}"#))
        #expect(
            try ["id", "kind", ".id", "/kind", ".none"].map { try ItemField(checking: $0).text(in: item) }
                == ["milk", "chore", "7", "x", ""])
    }
}
