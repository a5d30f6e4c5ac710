import ArgumentParser
import Diffable
import Testing

@testable import DiffableInput
@testable import diffablectl

struct ContentArgumentTests {
    private func content(_ arguments: String...) throws -> String? {
        try ContentArguments.content(of: arguments)?.description
    }

    @Test func `pairs are strings, and JSON after a colon`() throws {
        #expect(
            try content("text=Buy milk", "done:=false", "zip=01234")
                == #"{"text":"Buy milk","done":false,"zip":"01234"}"#)
        #expect(try content("url=http://x/?a=b") == #"{"url":"http://x/?a=b"}"#)
    }

    @Test func `one JSON text is taken as it is`() throws {
        #expect(try content(#"{ "a" : 1 }"#) == #"{"a":1}"#)
        #expect(try content("12.50") == "12.50")
        #expect(try content(#""a=b""#) == #""a=b""#)
        #expect(try content("null") == nil)
        #expect(try content() == nil)
    }

    @Test func `a key is a path`() throws {
        #expect(
            try content(".a.b:=1", "/a/c=x", "d.e=y", "/f.g=z")
                == #"{"a":{"b":1,"c":"x"},"d":{"e":"y"},"f.g":"z"}"#)
        #expect(try content(".cpu:=13") == #"{"cpu":13}"#)
        for arguments in [[".a:=1", ".a.b:=2"], [".a.b:=1", "a=2"], [".a.b=1", "/a/b=2"]] {
            #expect(throws: (any Error).self, "\(arguments)") { try ContentArguments.content(of: arguments) }
        }
        #expect(throws: (any Error).self) { try ContentArguments.content(of: [".=x"]) }
        #expect(throws: (any Error).self) { try ContentArguments.content(of: ["a..b=x"]) }
    }

    @Test func `anything else is refused with a remedy`() {
        func complaint(_ arguments: String...) -> String {
            do { return try ContentArguments.content(of: arguments)?.description ?? "nil" } catch { return "\(error)" }
        }
        #expect(complaint("Buy milk").contains("for plain text write text=\"Buy milk\""))
        #expect(complaint("a=1", "milk").contains("\"milk\" is not a key=value pair"))
        #expect(complaint("a=1", "a=2").contains("a is given twice"))
        #expect(complaint("n:=01").contains("for a string write key=value"))
        #expect(complaint("{").contains("the content is not JSON"))
    }

    private func refusal(_ arguments: [String], _ present: String) throws -> String? {
        let content = PresentContent(name: "it", content: Content.parsed(present))
        do { try AmbiguousStringPairs(arguments).check(against: [content]) } catch { return "\(error)" }
        return nil
    }

    @Test(arguments: [
        ("done=true", #"{"done":false}"#, "done:=true"), ("done=TRUE", #"{"done":false}"#, "done:=true"),
        ("done=no", #"{"done":true}"#, "done:=false"), ("done=1", #"{"done":true}"#, "done:=true"),
        ("done=null", #"{"done":true}"#, "done:=null"), ("n=5", #"{"n":1}"#, "n:=5"), ("n=1e3", #"{"n":1}"#, "n:=1e3"),
        ("n=007", #"{"n":1}"#, "n:=7"), ("n=+.5", #"{"n":1}"#, "n:=0.5"), ("n=true", #"{"n":1}"#, "n:=true"),
        ("n=null", #"{"n":1}"#, "n:=null"), (".a.b=2", #"{"a":{"b":1}}"#, ".a.b:=2"),
        ("/x.y=2", #"{"x.y":1}"#, "/x.y:=2"),
    ])
    func `a string that reads as a boolean or a number does not take the place of one`(
        pair: String, present: String, remedy: String
    ) throws {
        let words = try #require(try refusal([pair], present))
        #expect(words.contains("Use \(remedy), or '"), "\(words)")
        // Both remedies are arguments that work.
        let text = words.split(separator: "'").dropFirst().first.map(String.init) ?? ""
        #expect(try refusal([remedy], present) == nil && refusal([text], present) == nil, "\(text)")
        #expect(
            try JSONReader(ContentArguments.object(of: [text])).json.contains(#":"\#(pair.split(separator: "=")[1])""#))
    }

    @Test(arguments: [
        ("done=maybe", #"{"done":false}"#), ("done=true", #"{"done":"false"}"#), ("done=true", "{}"),
        ("n=x", #"{"n":1}"#),
        ("n=nan", #"{"n":1}"#), ("n=inf", #"{"n":1}"#), ("done:=true", #"{"done":false}"#),
        ("zip=01234", #"{"zip":"1"}"#),
        ("n=yes", #"{"n":1}"#), ("a=1", #"[1]"#),
    ])
    func `other strings do`(pair: String, present: String) throws {
        #expect(try refusal([pair], present) == nil)
    }

    @Test(arguments: [
        [#"{"text":"Tea"}"#], ["[1]"], ["text=Tea"], ["text=Buy milk", "done:=true"], ["done:=true"], [".a.b=1"],
        ["text="],
    ])
    func `content in the place of an id is refused`(words: [String]) throws {
        let content = Array(words.dropFirst())
        let literal = try LiteralID.parse([])
        let refused = #expect(throws: (any Error).self) { try literal.check(words[0], content, "append todo") }
        let error = try #require(refused)
        #expect("\(error)".contains("use diffablectl append todo ID "))
        try LiteralID.parse(["--literal-id"]).check(words[0], content, "append todo")
    }

    @Test func `an id with = in it that cannot be a pair is taken`() throws {
        for id in ["https://x/?id=5", "a b=c", "=x", "milk"] {
            try LiteralID.parse([]).check(id, ["text=x"], "append todo")
        }
    }
}
