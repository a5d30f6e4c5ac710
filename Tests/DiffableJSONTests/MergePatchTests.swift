import Diffable
import DiffableJSON
import TestSupport
import Testing

struct MergePatchTests {
    /// Appendix A of RFC 7396, in its order; then the cases that it leaves open.
    @Test(
        arguments: [
            (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
            (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
            (#"{"a":"b"}"#, #"{"a":null}"#, "{}"),
            (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
            (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
            (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
            (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
            (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#),
            (#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#),
            (#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#),
            (#"{"a":"foo"}"#, "null", nil),
            (#"{"a":"foo"}"#, #""bar""#, #""bar""#),
            (#"{"e":null}"#, #"{"a":1}"#, #"{"e":null,"a":1}"#),
            (#"[1,2]"#, #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
            ("{}", #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
            // Missing content is not an object.
            (nil, #"{"a":1}"#, #"{"a":1}"#),
            (nil, #"{"a":null}"#, "{}"),
            (nil, "7", "7"),
            (nil, "null", nil),
            // The target keeps its order and its bytes; names are compared after decoding escapes.
            (#"{"z":1.0,"a":"\u0041","m":3}"#, #"{"n":9,"a":2}"#, #"{"z":1.0,"a":2,"m":3,"n":9}"#),
            (#"{"\u0061":1}"#, #"{"a":2}"#, #"{"\u0061":2}"#),
            (#"{"a":1,"b":2,"c":3,"d":4}"#, #"{"c":null}"#, #"{"a":1,"b":2,"d":4}"#),
            (#"{"a":1,"b":2,"c":3}"#, #"{"a":null,"c":null,"b":null}"#, "{}"),
            (#"{"a":1,"b":2,"c":3}"#, #"{"a":null,"d":4}"#, #"{"b":2,"c":3,"d":4}"#),
            (#"{"a":1,"b":2}"#, #"{"\u0062":3,"c":4}"#, #"{"a":1,"b":3,"c":4}"#),
            ("{\"a\":1}", "{ \"b\" : [ 1 , 2 ] }", #"{"a":1,"b":[1,2]}"#),
        ] as [(String?, String, String?)])
    func `merges as RFC 7396 says`(target: String?, patch: String, result: String?) throws {
        let content = try target.map { try Content(json: $0) }
        #expect(try merge(patch).applied(to: content)?.description == result)
    }

    @Test(arguments: [#"{"a":1,"a":2}"#, #"{"a":1,"\u0061":2}"#, #"{"x":{"a":1,"a":1}}"#])
    func `a patch with one member twice is refused`(patch: String) {
        #expect(throws: MergePatch.DuplicateMember.self) { try merge(patch) }
    }

    @Test func `a result as long as the limit is taken, one byte more is not`() throws {
        let content = try Content(json: #"{"a":"12345"}"#)
        let patch = #"{"b":1}"#
        let length = #"{"a":"12345","b":1}"#.utf8.count
        let fits = try merge(patch, resultLengthMax: length).itemPatch(of: "x")
        #expect(try fits.patch(content)?.bytes.count == length)
        let tooLong = try merge(patch, resultLengthMax: length - 1).itemPatch(of: "x")
        let error = #expect(throws: OperationError.self) { try tooLong.patch(content) }
        #expect(error == .contentTooLong("x", length: length, max: length - 1))
    }

    @Test func `two objects with many members merge in time`() throws {
        func object(_ prefix: String) -> String {
            "{" + (0..<4000).map { "\"\(prefix)\($0)\":0" }.joined(separator: ",") + "}"
        }
        let content = try Content(json: object("a"))
        let patch = try merge(object("b"))
        let time = processorTime { _ = patch.applied(to: content) }
        #expect(time < .seconds(1))
    }

    @Test(arguments: [2, 8, 9, 300]) func `one of two equal names among any number is refused`(count: Int) throws {
        var members = (0..<count).map { #""a\#($0)":\#($0)"# }
        _ = try merge("{\(members.joined(separator: ","))}")
        members.append(#""\u0061\#(count / 2)":0"#)
        let error = #expect(throws: MergePatch.DuplicateMember.self) {
            try merge("{\(members.joined(separator: ","))}")
        }
        #expect(error?.name == "a\(count / 2)")
    }

    @Test func `a patch of many members finds each of them`() throws {
        let members = (0..<300).map { #""a\#($0)":-\#($0)"# }
        let patch = try merge("{\(members.joined(separator: ","))}", resultLengthMax: 9999)
        let content = try Content(json: #"{"a299":1,"b":1,"a7":1,"a":1,"a0":1}"#)
        let patched = try #require(patch.applied(to: content)).description
        #expect(patched.hasPrefix(#"{"a299":-299,"b":1,"a7":-7,"a":1,"a0":-0,"a1":-1,"#))
        #expect(patched.hasSuffix(#","a298":-298}"#))
    }

    @Test func `a patch merges as deep as a line may be`() throws {
        func nested(_ value: String) -> String {
            String(repeating: #"{"a":"#, count: 60) + value + String(repeating: "}", count: 60)
        }
        let content = try Content(json: nested(#"{"b":1,"c":2}"#))
        #expect(try merge(nested(#"{"b":null,"d":3}"#)).applied(to: content)?.description == nested(#"{"c":2,"d":3}"#))
        #expect(try merge(nested(#"{"b":null,"d":3}"#)).applied(to: nil)?.description == nested(#"{"d":3}"#))
    }

    /// About 0.15 ms in a release build; a merge that copied each name took 1.2 ms.
    @Test func `one member of a long item is patched without copying the others' names`() throws {
        let members = (0..<2500).map { "\"a\($0)\":\(1000 + $0)" }
        let content = try Content(json: "{\(members.joined(separator: ","))}")
        let patched = try merge(#"{"a1200":7,"b":8}"#).applied(to: content)?.description
        var expected = members
        expected[1200] = #""a1200":7"#
        #expect(patched == "{\((expected + [#""b":8"#]).joined(separator: ","))}")
    }

    private func merge(_ patch: String, resultLengthMax: Int = 1000) throws -> MergePatch {
        try Array(patch.utf8).withUnsafeBytes { bytes in
            var scanner = JSONScanner(bytes, depthMax: 64)
            return try MergePatch(try scanner.value(), resultLengthMax: resultLengthMax)
        }
    }
}
