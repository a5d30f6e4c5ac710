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
        #expect(complaint("a=1", "milk").contains("\"milk\" is no key=value pair"))
        #expect(complaint("a=1", "a=2").contains("a is given twice"))
        #expect(complaint("n:=01").contains("for a string write key=value"))
        #expect(complaint("{").contains("the content is no JSON"))
    }
}
