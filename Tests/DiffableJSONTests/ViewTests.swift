import Diffable
import Testing

@testable import DiffableJSON

@Suite struct `A view` {
    private func list() throws -> Snapshot {
        try Snapshot(
            try decodeSections(
                """
                {"sections":[{"id":"s","items":[
                  {"id":"milk","kind":"todo",
                   "content":{"text":"Buy milk","done":false,"n":2,"tags":["home","Éclair"]}},
                  {"id":"tax","content":{"text":"Straße","done":true,"n":10,"due":"2026-12-01","a/b":{"~":null}}},
                  {"id":"nothing"},
                  {"id":"bare","content":"just text"}]}]}
                """))
    }

    private func view(_ text: String) throws(DecodingError) -> View {
        try Array(text.utf8).withUnsafeBufferPointer { bytes throws(DecodingError) in
            var decoder = Decoder(UnsafeRawBufferPointer(bytes), limits: .server)
            let view = try decoder.view()
            try decoder.end()
            return view
        }
    }

    /// The ids that it shows, in order.
    private func shown(_ text: String) throws -> String {
        let snapshot = try list()
        return (try view(text).matching?.evaluate(snapshot) ?? snapshot).itemIdentifiers
            .map(\.description).joined(separator: " ")
    }

    private func matches(_ condition: String) throws -> String { try shown(#"{"where":\#(condition)}"#) }

    @Test(arguments: [
        (#"{"path":"/done","equals":false}"#, "milk"),
        (#"{"path":"/n","equals":2.0}"#, "milk"),
        (#"{"path":"/n","equals":"2"}"#, ""),
        (#"{"path":"/tags","equals":["home","Éclair"]}"#, "milk"),
        (#"{"path":"","equals":"just text"}"#, "bare"),
        (#"{"path":"/a~1b/~0","equals":null}"#, "tax"),
        (#"{"path":"/tags/0","equals":"home"}"#, "milk"),
        (#"{"path":"/tags/00","exists":true}"#, ""),
        (#"{"path":"kind","equals":"todo"}"#, "milk"),
        (#"{"path":"kind","exists":false}"#, "tax nothing bare"),
        (#"{"path":"id","prefix":"b"}"#, "bare"),
        (#"{"path":"/n","lessThan":10}"#, "milk"),
        (#"{"path":"/n","atMost":10}"#, "milk tax"),
        (#"{"path":"/n","greaterThan":2}"#, "tax"),
        (#"{"path":"/n","atLeast":2,"lessThan":10}"#, "milk"),
        (#"{"path":"/due","lessThan":"2027"}"#, "tax"),
        (#"{"path":"/due","lessThan":2027}"#, ""),
        (#"{"path":"/tags","contains":"home"}"#, "milk"),
        (#"{"path":"/text","contains":"milk"}"#, "milk"),
        (#"{"path":"/text","contains":"raß"}"#, "tax"),
        (#"{"path":"/text","contains":""}"#, "milk tax"),
        (#"{"path":"/text","prefix":"Buy"}"#, "milk"),
        (#"{"path":"/a~1b/~0","exists":true}"#, "tax"),
        (#"{"path":"","exists":false}"#, "nothing"),
        (#"{"not":{"path":"/done","exists":true}}"#, "nothing bare"),
        (#"{"and":[{"path":"/done","exists":true},{"path":"/n","greaterThan":5}]}"#, "tax"),
        (#"{"or":[{"path":"","equals":"just text"},{"path":"/n","greaterThan":5}]}"#, "tax bare"),
        (#"{"and":[]}"#, "milk tax nothing bare"),
        (#"{"or":[]}"#, ""),
    ]) func `shows what meets its condition`(condition: String, ids: String) throws {
        #expect(try matches(condition) == ids)
    }

    @Test(arguments: [
        ("milk", "milk"), ("MILK buy", "milk"), ("eclair", "milk"), ("STRASSE", ""), ("straße", "tax"),
        ("home nowhere", ""), ("todo", ""), ("JUST", "bare"), ("", "milk tax nothing bare"), ("2026-12", "tax"),
    ]) func `finds words whatever their case and marks`(words: String, ids: String) throws {
        #expect(try shown(#"{"search":"\#(words)"}"#) == ids)
    }

    @Test func `folds marks however they are written`() {
        #expect(SearchText.folded("Ångström É e\u{301} İ Ǆ") == Array("angstrom e e i ǆ".utf8))
    }

    /// The canonical order of marks, which nobody needs here, takes the square of their number: 12 s for these.
    @Test func `folds any number of marks in time`() {
        let text = "a" + String(repeating: "\u{301}\u{323}", count: 100_000)
        let time = ContinuousClock().measure { #expect(SearchText.folded(text) == Array("a".utf8)) }
        #expect(time < .seconds(3))
    }

    @Test func `finds members by the bytes of their names`() throws {
        let list = try Snapshot(
            try decodeSections(
                #"{"sections":[{"id":"s","items":[{"id":"one","content":{"\u00e9":1}},"#
                    + #"{"id":"two","content":{"e\u0301":1}},{"id":"mark","content":{"\u0301":1}}]}]}"#))
        func found(_ path: String) throws -> [ItemID] {
            let view = try view(#"{"where":{"path":"\#(path)","exists":true}}"#)
            return view.evaluate(list).snapshot.itemIdentifiers
        }
        #expect(try found("/\u{E9}") == ["one"])
        #expect(try found("/e\u{301}") == ["two"])
        #expect(try found("/\u{301}") == ["mark"])
    }

    @Test func `is as long as the limit, and not one byte longer`() throws {
        func ids(length: Int) -> String {
            let text = #"{"sections":["a""#
            return text + String(repeating: #","b""#, count: (length - text.utf8.count - 2) / 4) + "]}"
        }
        let text = ids(length: 131_072 - 2)
        #expect(text.utf8.count == 131_070)
        #expect(try view(text.replacing("\"a\"", with: "\"a23\"")).json.count == 131_072)
        #expect(throws: DecodingError.self) { _ = try view(text.replacing("\"a\"", with: "\"a234\"")) }
        #expect(try view(#"{"search":"\#(String(repeating: "a", count: 1024))"}"#).matching != nil)
        #expect(throws: DecodingError.self) {
            _ = try view(#"{"search":"\#(String(repeating: "a", count: 1025))"}"#)
        }
    }

    @Test func `asks for as much as the limits allow, and not for one thing more`() {
        func error(_ json: String, _ limits: DecodingLimits) -> DecodingError? {
            Array(json.utf8).withUnsafeBytes { bytes in
                var decoder = Decoder(bytes, limits: limits)
                do throws(DecodingError) {
                    _ = try decoder.view()
                    return nil
                } catch { return error }
            }
        }
        // A condition of two tests is three, for both must hold.
        let terms = #"{"where":{"not":{"path":"/a","atLeast":1,"lessThan":2}},"search":"x y","sort":["/a"]}"#
        #expect(error(terms, DecodingLimits(viewTermsMax: 7)) == nil)
        #expect(
            error(terms, DecodingLimits(viewTermsMax: 6))?.reason == .tooLarge(limit: "viewTermsMax", max: 6))
        let window = #"{"window":{"limit":5}}"#
        #expect(error(window, DecodingLimits(windowRowsMax: 5)) == nil)
        #expect(
            error(window, DecodingLimits(windowRowsMax: 4))
                == DecodingError(.tooLarge(limit: "windowRowsMax", max: 4), path: "window.limit"))
    }

    @Test func `sorts by members of the content`() throws {
        #expect(try shown(#"{"sort":["/n"]}"#) == "nothing bare milk tax")
        #expect(try shown(#"{"sort":[{"path":"/n","descending":true}]}"#) == "tax milk nothing bare")
        #expect(try shown(#"{"sort":["kind",{"path":"id","descending":true}]}"#) == "tax nothing bare milk")
    }

    @Test func `has an expansion and a window`() throws {
        #expect(try view("{}").expansion == .all)
        #expect(try view(#"{"expansion":"shared"}"#).expansion == .shared)
        #expect(try view(#"{"expanded":["a"],"expansion":"own"}"#).expansion == .own(["a"]))
        #expect(try view(#"{"window":{"limit":5}}"#).window == Window(start: .offset(0), limit: 5))
        #expect(try view(#"{"window":{"anchor":"a","limit":5}}"#).window == Window(start: .anchor("a"), limit: 5))
        #expect(try view(#"{"window":{"limit":5}}"#).matching == nil)
    }

    @Test func `says the same when its text says the same`() throws {
        let spaced = try view(#"{ "where" : {"path": "/n", "equals": 2}, "window": {"limit": 5} }"#)
        #expect(try view(#"{"where":{"path":"/n","equals":2}}"#).matchingText == spaced.matchingText)
        #expect(try view(#"{"where":{"path":"/n","equals":3}}"#).matchingText != spaced.matchingText)
        #expect(try view(#"{"search":"[]"}"#).matchingText != view(#"{"sections":[]}"#).matchingText)
    }

    @Test(arguments: [
        (#"{"wehre":{}}"#, #"a view has no member "wehre"; did you mean "where"?"#),
        (#"{"where":{"path":"done","equals":1}}"#, #"or a JSON pointer like "/due", not "done""#),
        (#"{"where":{"path":"/a~2","equals":1}}"#, #"not "/a~2""#),
        (#"{"where":{"path":"/n"}}"#, "a path needs a test"),
        (#"{"where":{"equals":1}}"#, "a test needs a path"),
        (#"{"where":{"and":[],"or":[]}}"#, "a condition is one of and, or, not"),
        (#"{"where":{}}"#, "a condition is one of and, or, not"),
        (#"{"where":{"path":"/n","lessThan":true}}"#, "what is compared by order is a number or a string"),
        (#"{"where":{"path":"/n","contains":[1]}}"#, "contains is a string, a number, true, false or null"),
        (#"{"expansion":"none"}"#, #"expansion is "all", "shared" or "own""#),
        (#"{"expanded":["a"]}"#, #"expanded goes with "expansion":"own""#),
        (#"{"window":{"offset":1}}"#, "a window needs a limit"),
        (#"{"window":{"offset":1,"anchor":"a","limit":1}}"#, "not at both"),
        (#"{"sort":[{"descending":true}]}"#, "a part of sort needs a path"),
    ]) func `says what is wrong with it`(text: String, sentence: String) throws {
        let error = try #require(throws: DecodingError.self) { _ = try view(text) }
        #expect("\(error)".contains(sentence), "\(error)")
    }
}
