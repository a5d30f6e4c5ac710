import Diffable
import DiffableJSON
import Testing

struct ContentTests {
    @Test func `content is the text without insignificant white space`() throws {
        let content = try Content(json: " { \"text\" : \"Buy  milk\",\n \"done\" : false } ")
        #expect(content.description == #"{"text":"Buy  milk","done":false}"#)
    }

    @Test func `numbers and escapes are kept byte for byte`() throws {
        let text = #"{"n":12345678901234567890.10e-0,"s":"\u00e9\/é"}"#
        #expect(try Content(json: text).description == text)
    }

    @Test(arguments: [0, 20]) func `of members with one name the last one counts`(others: Int) throws {
        let more = (0..<others).map { #""m\#($0)":[],"# }.joined()
        let content = try Content(json: #"{"a":1,\#(more)"b":[{"c":"x","c":"y"}],"\u0061":2}"#)
        let single = #"{\#(more)"b":[{"c":"y"}],"a":2}"#
        #expect(ContentValue(content).json == single)
        #expect(content.withoutReplacedMembers.description == single)
        // Content without such members stays the same, byte for byte.
        let plain = try Content(json: #"{"a":1.0,"b":"\u0061"}"#)
        #expect(plain.withoutReplacedMembers == plain)
    }

    @Test func `null is no content`() {
        let error = #expect(throws: JSONError.self) { try Content(json: " null ") }
        #expect(error?.reason == .noContent)
    }

    @Test func `text that is not JSON is refused with its offset`() {
        let error = #expect(throws: JSONError.self) { try Content(json: "{\"a\":}") }
        #expect(error?.offset == 5)
    }
}
