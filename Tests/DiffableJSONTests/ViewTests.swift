import Diffable
import TestSupport
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

    /// Returns the ids of the shown items, in order.
    private func shown(_ text: String) throws -> String {
        let snapshot = try list()
        return (try view(text).matching?.evaluate(snapshot) ?? snapshot).itemIdentifiers
            .map(\.description).joined(separator: " ")
    }

    @Test func `finds and sorts by the last of members with one name`() throws {
        let list = try Snapshot(
            try decodeSections(
                #"""
                {"sections":[{"id":"s","items":[{"id":"a","content":{"t":"old","n":1,"t":"new","n":3}},
                  {"id":"b","content":{"t":"other","n":2}}]}]}
                """#))
        func shown(_ text: String) throws -> String {
            try #require(try view(text).matching).evaluate(list).itemIdentifiers.map(\.description).joined(
                separator: " ")
        }
        #expect(try shown(#"{"search":"old"}"#) == "")
        #expect(try shown(#"{"search":"new"}"#) == "a")
        #expect(try shown(#"{"search":{"words":"old","in":[[{"firstExcept":["n"]}]]}}"#) == "")
        #expect(try shown(#"{"where":{"path":"/t","equals":"old"}}"#) == "")
        #expect(try shown(#"{"where":{"path":"/t","equals":"new"}}"#) == "a")
        #expect(try shown(#"{"sort":["/n"]}"#) == "b a")
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
        (#"{"words":"MILK","in":["/text"]}"#, "milk"), (#"{"words":"milk","in":["/note"]}"#, ""),
        (#"{"words":"home","in":["/text"]}"#, ""), (#"{"words":"home","in":["/tags"]}"#, ""),
        (#"{"words":"eclair","in":["/tags/1"]}"#, "milk"), (#"{"words":"just text","in":[""]}"#, "bare"),
        // Numbers match words, and each word may be at another path.
        (#"{"words":"10 strasse","in":["/n","/text"]}"#, "tax"), (#"{"words":"10","in":[["/n"]]}"#, ""),
        (#"{"words":"true","in":["/done"]}"#, ""),
        // Ids and kinds match, even if the content lacks them.
        (#"{"words":"NOTH","in":["id"]}"#, "nothing"), (#"{"words":"odo","in":["kind"]}"#, "milk"),
        // Only the first path with a value is searched.
        (#"{"words":"bare","in":[["/text","id"]]}"#, "bare"), (#"{"words":"tax","in":[["/text","id"]]}"#, ""),
        (#"{"words":"tax","in":[["/none","id"]]}"#, "tax"), (#"{"words":"text","in":[["","id"]]}"#, "bare"),
        (#"{"words":"2026","in":[[{"firstExcept":["text"]}]]}"#, "tax"),
        (#"{"words":"2026","in":[[{"firstExcept":[]}]]}"#, ""),
        (#"{"words":"stra","in":[[{"firstExcept":["icon"]}]]}"#, "tax"),
        // Kinds can have their own paths.
        (#"{"words":"buy","in":["id"],"kinds":[{"kind":"todo","in":["/text"]}]}"#, "milk"),
        (#"{"words":"buy","in":["/text"],"kinds":[{"kind":"todo","in":["id"]}]}"#, ""),
        (#"{"words":"straße","in":["id"],"kinds":[{"kind":"","in":["/text"]}]}"#, "tax"),
        (#"{"words":"","in":[]}"#, "milk tax nothing bare"),
    ]) func `searches some paths`(search: String, ids: String) throws {
        #expect(try shown("{\"search\":\(search)}") == ids)
        // A follower's index finds the same items.
        let criterion = try #require(try view("{\"search\":\(search)}").criterion)
        let index = CriterionIndex()
        index.insert(1, criterion)
        let found = try list().itemIdentifiers.filter { id in
            var numbers: Set<Int> = []
            if let item = try? list().item(id) { index.collect(matching: item, into: &numbers) }
            return numbers == [1]
        }
        #expect(found.map(\.description).joined(separator: " ") == ids)
    }

    @Test func `a search of some paths is narrower than one with fewer words only at the same paths`() throws {
        let wide = try view(#"{"search":{"words":"a","in":["/text"]}}"#)
        let narrow = try view(#"{"search":{"words":"ab","in":["/text"]}}"#)
        let other = try view(#"{"search":{"words":"ab","in":["id"]}}"#)
        let all = try view(#"{"search":"ab"}"#)
        #expect(narrow.isNarrower(than: wide.matchingText, wide.criterion))
        #expect(!wide.isNarrower(than: narrow.matchingText, narrow.criterion))
        #expect(!other.isNarrower(than: wide.matchingText, wide.criterion))
        #expect(!all.isNarrower(than: wide.matchingText, wide.criterion))
        #expect(!narrow.isNarrower(than: all.matchingText, all.criterion))
    }

    @Test(arguments: [
        (#"{"words":"a"}"#, "needs both words and in"), (#"{"in":[]}"#, "needs both words and in"),
        (#"{"words":"a","in":["text"]}"#, "JSON pointer"), (#"{"words":"a","in":[[{}]]}"#, "firstExcept"),
        (#"{"words":"a","in":[],"kinds":[{"in":[]}]}"#, "each element of kinds needs both kind and in"),
        ("3", "must be a string"),
    ]) func `refuses a search that cannot be understood`(search: String, reason: String) {
        #expect { try view("{\"search\":\(search)}") } throws: { "\($0)".contains(reason) }
        let paths = (0...128).map { "\"/\($0)\"" }.joined(separator: ",")
        #expect { try view("{\"search\":{\"words\":\"a\",\"in\":[\(paths)]}}") } throws: {
            "\($0)".contains("searchPathsMax")
        }
    }

    @Test(arguments: [
        ("milk", "milk"), ("MILK buy", "milk"), ("eclair", "milk"), ("STRASSE", "tax"), ("straße", "tax"),
        ("STRAẞE", "tax"),
        ("home nowhere", ""), ("todo", ""), ("JUST", "bare"), ("", "milk tax nothing bare"), ("2026-12", "tax"),
    ]) func `finds words whatever their case and marks`(words: String, ids: String) throws {
        #expect(try shown(#"{"search":"\#(words)"}"#) == ids)
    }

    @Test func `folds marks however they are written`() {
        #expect(SearchText.folded("Ångström É e\u{301} İ Ǆ") == Array("angstrom e e i ǆ".utf8))
    }

    @Test(arguments: [
        ("σοφος", "ΣΟΦΟΣ"), ("ΣΟΦΌΣ", "σοφός"), ("STRASSE", "Straße"), ("STRAẞE", "straße"), ("FIN", "ﬁn"), ("İ", "i"),
        ("ſ", "S"), ("Ꭰ", "ꭰ"), ("ŉ", "ʼN"),
    ]) func `makes no difference between upper and lower case, of however many letters`(one: String, other: String) {
        #expect(SearchText.folded(one) == SearchText.folded(other))
    }

    @Test func `keeps what is another letter`() {
        #expect(SearchText.folded("ı") != SearchText.folded("i"))
        #expect(SearchText.folded("ø") != SearchText.folded("o"))
    }

    /// Sorting marks into canonical order, which is not needed here, takes the square of their number: 12 s for these.
    @Test func `folds any number of marks in time`() {
        let text = "a" + String(repeating: "\u{301}\u{323}", count: 100_000)
        let time = processorTime { #expect(SearchText.folded(text) == Array("a".utf8)) }
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
        let ids = Array(repeating: "\"\(String(repeating: "b", count: 61))\"", count: 2_047).joined(separator: ",")
        let text = #"{"sections":["a",\#(ids),"\#(String(repeating: "c", count: 41))"]}"#
        #expect(text.utf8.count == 131_070)
        #expect(try view(text.replacing("\"a\"", with: "\"a23\"")).json.count == 131_072)
        #expect(throws: DecodingError(.tooLarge(limit: "viewLengthMax", max: 131_072), at: 0)) {
            _ = try view(text.replacing("\"a\"", with: "\"a234\""))
        }
        #expect(try view(#"{"search":"\#(String(repeating: "a", count: 1024))"}"#).matching != nil)
        #expect(throws: DecodingError(.tooLarge(limit: "searchLengthMax", max: 1024), path: "search", at: 11)) {
            _ = try view(#"{"search":"\#(String(repeating: "a", count: 1025))"}"#)
        }
    }

    /// Views, and the number of segments of all their paths.
    private static let segments = [
        (#"{"where":{"path":"/a/b/c","equals":1}}"#, 3), (#"{"where":{"path":"id","equals":"a"}}"#, 1),
        (#"{"where":{"path":"","exists":true}}"#, 1),
        (#"{"where":{"and":[{"path":"/a","equals":1},{"not":{"path":"/a/b","equals":1}}]}}"#, 3),
        (#"{"sort":["/a/b",{"path":"/c"}]}"#, 3),
        // A list of alternatives counts as one.
        (#"{"search":{"words":"x","in":["/a/b",["/c","id"]]}}"#, 5),
        (#"{"search":{"words":"x","in":[[{"firstExcept":["m","n"]}]]}}"#, 4),
        (#"{"search":{"words":"x","in":["/a"],"kinds":[{"kind":"k","in":["/b/c"]}]}}"#, 4),
    ]

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
        // A condition with two tests counts as three, because both must hold.
        let terms = #"{"where":{"not":{"path":"/a","atLeast":1,"lessThan":2}},"search":"x y","sort":["/a"]}"#
        #expect(error(terms, DecodingLimits(viewTermsMax: 7)) == nil)
        #expect(
            error(terms, DecodingLimits(viewTermsMax: 6))?.reason == .tooLarge(limit: "viewTermsMax", max: 6))
        for (view, segments) in Self.segments {
            #expect(error(view, DecodingLimits(viewSegmentsMax: segments)) == nil, "\(view)")
            #expect(
                error(view, DecodingLimits(viewSegmentsMax: segments - 1))?.reason
                    == .tooLarge(limit: "viewSegmentsMax", max: segments - 1), "\(view)")
        }
        let ids = #"{"sections":["s","t"],"expansion":"own","expanded":["a","b","a"]}"#
        #expect(error(ids, DecodingLimits(viewIdsMax: 5)) == nil)
        #expect(error(ids, DecodingLimits(viewIdsMax: 4))?.reason == .tooLarge(limit: "viewIdsMax", max: 4))
        let toggled = #"{"expansion":"own","toggled":["a","b"]}"#
        #expect(error(toggled, DecodingLimits(viewIdsMax: 1))?.reason == .tooLarge(limit: "viewIdsMax", max: 1))
        let window = #"{"window":{"limit":5}}"#
        #expect(error(window, DecodingLimits(windowRowsMax: 5)) == nil)
        #expect(
            error(window, DecodingLimits(windowRowsMax: 4))
                == DecodingError(.tooLarge(limit: "windowRowsMax", max: 4), path: "window.limit", at: 19))
    }

    @Test func `sorts by members of the content`() throws {
        #expect(try shown(#"{"sort":["/n"]}"#) == "nothing bare milk tax")
        #expect(try shown(#"{"sort":[{"path":"/n","descending":true}]}"#) == "tax milk nothing bare")
        #expect(try shown(#"{"sort":["kind",{"path":"id","descending":true}]}"#) == "tax nothing bare milk")
    }

    /// Compares with a slow and simple sort.
    @Test func `sorts by numbers that are strings, beside all else that there is`() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SplitMix64(seed: seed)
        /// Values as JSON; nil: missing.
        let values: [String?] = [
            nil, "null", "false", "true", "9.5", "20", "-3", #""9.5""#, #""100.0""#, #""-0""#, #""1e2""#, #""2E+1""#,
            #""7""#,
            #""007""#, #""+7""#, #"" 7""#, #""7 ""#, #""0x10""#, #"".5""#, #""5.""#, #""inf""#, #""nan""#, #""1,5""#,
            #""""#,
            #""-""#, #""1e999""#, #""\u0037""#, #""a""#, "[7]", #"{"n":7}"#,
        ]
        /// Returns the rank of a value's kind, and then its number or string.
        func rank(_ value: String?) -> (Int, Double, String) {
            switch value {
            case nil: return (0, 0, "")
            case "null": return (1, 0, "")
            case "false": return (2, 0, "")
            case "true": return (3, 0, "")
            case let text? where text.hasPrefix("["), let text? where text.hasPrefix("{"): return (0, 0, "")
            case let text? where !text.hasPrefix("\""): return (4, Double(text)!, "")
            case let text?:
                let meaning = text == #""\u0037""# ? "7" : String(text.dropFirst().dropLast())
                let isNumber = meaning.wholeMatch(of: #/-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/#) != nil
                return isNumber ? (4, Double(meaning)!, "") : (5, 0, meaning)
            }
        }
        for _ in 0..<50 {
            let rows = (0..<12).map { _ in values.randomElement(using: &random)! }
            let items = rows.enumerated().map { index, value in
                #"{"id":"\#(index)","content":{\#(value.map { #""v":\#($0)"# } ?? "")}}"#
            }
            let list = try Snapshot(
                decodeSections(#"{"sections":[{"id":"s","items":[\#(items.joined(separator: ","))]}]}"#))
            let isDescending = Bool.random(using: &random)
            let view = try view(#"{"sort":[{"path":"/v","numeric":true,"descending":\#(isDescending)}]}"#)
            let expected = rows.indices.sorted {
                let (a, b) = isDescending ? (rank(rows[$1]), rank(rows[$0])) : (rank(rows[$0]), rank(rows[$1]))
                if a.0 != b.0 { return a.0 < b.0 }
                if a.1 != b.1 { return a.1 < b.1 }
                return a.2.utf8.elementsEqual(b.2.utf8) ? $0 < $1 : a.2.utf8.lexicographicallyPrecedes(b.2.utf8)
            }
            let shown = view.evaluate(list).snapshot.itemIdentifiers.map(\.description)
            #expect(shown == expected.map(String.init), "seed \(seed): \(rows)")
        }
        #expect(throws: DecodingError.self) { try self.view(#"{"sort":[{"path":"/v","numeric":1}]}"#) }
    }

    @Test func `has an expansion and a window`() throws {
        #expect(try view("{}").expansion == .all)
        #expect(try view(#"{"expansion":"shared"}"#).expansion == .shared)
        #expect(try view(#"{"expanded":["a"],"expansion":"own"}"#).expansion == .own(["a"]))
        #expect(try view(#"{"toggled":["a","b","a"],"expansion":"own"}"#).expansion == .toggled(["a", "b"]))
        // Without toggled items, the expansion is the one in the list.
        #expect(try view(#"{"toggled":[],"expansion":"own"}"#) == view(#"{"expansion":"shared"}"#))
        #expect(try view(#"{"expansion":"own"}"#).expansion == .own([]))
        #expect(try view(#"{"window":{"limit":5}}"#).window == Window(start: .offset(0), limit: 5))
        #expect(try view(#"{"window":{"anchor":"a","limit":5}}"#).window == Window(start: .anchor("a"), limit: 5))
        #expect(try view(#"{"window":{"limit":5}}"#).matching == nil)
        var window = Window(start: .anchor("a"), limit: 5)
        (window.before, window.pins, window.hasAllSections) = (4, ["b", "a"], true)
        #expect(
            try view(#"{"window":{"anchor":"a","before":4,"limit":5,"pins":["b","a","b"],"allSections":true}}"#).window
                == window)
        window = Window(start: .offset(3), limit: 5)
        window.keep = ["c", "b"]
        #expect(try view(#"{"window":{"offset":3,"limit":5,"keep":["c","b"]}}"#).window == window)
    }

    @Test func `names the position that its window has reached`() throws {
        func shown(_ text: String, _ offset: Int, anchor: ItemID? = nil) throws -> String {
            var extent = Window.Extent(offset: offset, total: 100)
            extent.anchor = anchor
            let shown = try view(text).shown(at: extent)
            let text = String(decoding: shown.json, as: UTF8.self)
            #expect(try view(text) == shown)
            return text
        }
        let rest = #""sections":["s"],"where":{"path":"/n","equals":1},"expansion":"own","toggled":["a","b"]"#
        #expect(
            try shown(#"{\#(rest),"window":{"limit":5,"offset":3,"keep":["c"],"pins":["d"],"allSections":true}}"#, 7)
                == #"{\#(rest),"window":{"offset":7,"limit":5,"keep":["c"],"pins":["d"],"allSections":true}}"#)
        #expect(
            try shown(#"{"expansion":"shared","window":{"anchor":"c","limit":5,"before":2}}"#, 7, anchor: "d")
                == #"{"expansion":"shared","window":{"anchor":"d","before":2,"limit":5}}"#)
        for text in [#"{"window":{"limit":5,"offset":30}}"#, #"{"window":{"anchor":"c","limit":5}}"#, #"{"search":"x"}"#] {
            #expect(try shown(text, 7) == text)
        }
    }

    @Test func `says the same when its text says the same`() throws {
        let spaced = try view(#"{ "where" : {"path": "/n", "equals": 2}, "window": {"limit": 5} }"#)
        #expect(try view(#"{"where":{"path":"/n","equals":2}}"#).matchingText == spaced.matchingText)
        #expect(try view(#"{"where":{"path":"/n","equals":3}}"#).matchingText != spaced.matchingText)
        #expect(try view(#"{"search":"[]"}"#).matchingText != view(#"{"sections":[]}"#).matchingText)
    }

    @Test(arguments: [
        (#"{"wehre":{}}"#, #"a view has no member "wehre"; did you mean "where"?"#),
        (#"{"where":{"path":"done","equals":1}}"#, #"or a JSON pointer such as "/due", not "done""#),
        (#"{"where":{"path":"/a~2","equals":1}}"#, #"not "/a~2""#),
        (#"{"where":{"path":"/n"}}"#, "a path needs a test"),
        (#"{"where":{"equals":1}}"#, "a condition with a test, such as equals, needs a path too"),
        (#"{"where":{"and":[],"or":[]}}"#, "a condition must be one of and, or, not"),
        (#"{"where":{}}"#, "a condition must be one of and, or, not"),
        (
            #"{"where":{"path":"/n","lessThan":true}}"#,
            "where.lessThan must be a number or a string (only these have an order), not true"
        ),
        (
            #"{"where":{"path":"/n","contains":[1]}}"#,
            "where.contains must be a string, a number, true, false or null, not an array"
        ),
        (#"{"expansion":"none"}"#, #"expansion must be "all", "shared" or "own", not "none""#),
        (#"{"expanded":["a"]}"#, #"expanded needs "expansion":"own""#),
        (#"{"toggled":["a"]}"#, #"toggled needs "expansion":"own""#),
        (#"{"expansion":"shared","toggled":[]}"#, #"toggled needs "expansion":"own""#),
        (#"{"expansion":"own","toggled":[7]}"#, "toggled[0]: an item's id must be a string, not 7"),
        (
            #"{"expansion":"own","toggled":[],"expanded":[]}"#,
            "a view can have expanded or toggled, not both"
        ),
        (#"{"window":{"offset":1}}"#, "a window needs a limit"),
        (#"{"window":{"offset":1,"anchor":"a","limit":1}}"#, "a window takes anchor or offset, not both"),
        (#"{"window":{"anchor":"a","limit":1,"keep":["a"]}}"#, "keep needs offset"),
        (#"{"window":{"before":1,"limit":2}}"#, "before needs anchor; without one, reduce offset by as many rows"),
        (#"{"window":{"anchor":"a","before":2,"limit":2}}"#, "before must be less than limit"),
        (
            #"{"window":{"limit":2,"pins":[\#((0...256).map { "\"\($0)\"" }.joined(separator: ","))]}}"#,
            "pins has 257 ids, and may have 256; name fewer items"
        ),
        (
            #"{"window":{"limit":2,"keep":[\#((0...64).map { "\"\($0)\"" }.joined(separator: ","))]}}"#,
            "keep has 65 ids, and may have 64"
        ),
        (#"{"sort":[{"descending":true}]}"#, "each element of sort needs path"),
    ]) func `says what is wrong with it`(text: String, sentence: String) throws {
        let error = try #require(throws: DecodingError.self) { _ = try view(text) }
        #expect("\(error)".contains(sentence), "\(error)")
    }
}
