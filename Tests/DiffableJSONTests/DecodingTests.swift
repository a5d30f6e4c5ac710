import Diffable
import DiffableJSON
import Testing

struct DecodingTests {
    /// Every operation in each of its forms. Decoding and encoding gives the same text.
    @Test(arguments: [
        #"{"op":"reconfigureList","content":{"title":"Today"}}"#,
        #"{"op":"reconfigureList","content":null}"#,
        #"{"op":"patchList","content":{"a":null}}"#,
        #"{"op":"patchList","content":null}"#,
        #"{"op":"appendSections","sections":[{"id":"a"},{"id":"b","content":{"header":"B"}}]}"#,
        #"{"op":"appendSections","sections":[{"id":"a","items":[{"id":"x","children":[{"id":"y"}]},{"id":"z"}]},{"id":"b"}]}"#,
        #"{"op":"insertSections","after":null,"sections":[{"id":"a"}]}"#,
        #"{"op":"insertSections","after":"a","sections":[{"id":"b","items":[{"id":"x"}]},{"id":"c"}]}"#,
        #"{"op":"insertSections","before":"a","sections":[{"id":"b"}]}"#,
        #"{"op":"deleteSections","sections":["a","b"]}"#,
        #"{"op":"deleteSections","sections":["a"],"ifPresent":true}"#,
        #"{"op":"moveSection","section":"a","after":null}"#,
        #"{"op":"moveSection","section":"a","after":"b"}"#,
        #"{"op":"moveSection","section":"a","before":"b"}"#,
        #"{"op":"reloadSections","sections":["a",{"id":"b","content":1},{"id":"c","content":null}]}"#,
        #"{"op":"appendItems","items":[{"id":"x"}]}"#,
        #"{"op":"appendItems","section":"a","items":[{"id":"x","kind":"k","content":[1],"expanded":true,"children":[{"id":"y"}]}]}"#,
        #"{"op":"appendItems","parent":"x","items":[{"id":"y"}]}"#,
        #"{"op":"appendItems","section":"a","parent":"x","items":[{"id":"y"}]}"#,
        #"{"op":"insertItems","after":"x","items":[{"id":"y"}]}"#,
        #"{"op":"insertItems","before":"x","items":[{"id":"y"}]}"#,
        #"{"op":"insertItems","section":"a","after":null,"items":[{"id":"y"}]}"#,
        #"{"op":"insertItems","section":"a","parent":"p","after":"x","items":[{"id":"y","children":[{"id":"z"}]}]}"#,
        #"{"op":"deleteItems","items":["x","y"]}"#,
        #"{"op":"deleteItems","items":["x"],"ifPresent":true}"#,
        #"{"op":"deleteAllItems"}"#,
        #"{"op":"moveItem","item":"x","after":"y"}"#,
        #"{"op":"moveItem","item":"x","before":"y"}"#,
        #"{"op":"moveItem","item":"x","section":"a"}"#,
        #"{"op":"moveItem","item":"x","section":null}"#,
        #"{"op":"moveItem","item":"x","parent":"p"}"#,
        #"{"op":"moveItem","item":"x","section":"a","parent":"p","after":null}"#,
        #"{"op":"reconfigureItems","items":["x",{"id":"y","content":"new"},{"id":"z","content":null}]}"#,
        #"{"op":"patchItems","items":[{"id":"x","content":{"a":null}},{"id":"y","content":null}]}"#,
        #"{"op":"reloadItems","items":["x",{"id":"y","kind":"k","content":1},{"id":"z","kind":null,"content":null},{"id":"w","kind":"k"},{"id":"v","content":1}]}"#,
        #"{"op":"expandItems","items":["x"]}"#,
        #"{"op":"collapseItems","items":["x","y"]}"#,
        #"{"op":"replaceChildren","parent":"x","items":[{"id":"y","expanded":false,"children":[{"id":"z"}]}]}"#,
        #"{"op":"replaceChildren","parent":"x","items":[]}"#,
    ])
    func `an operation is written as it was read`(text: String) throws {
        #expect(encode(try decodeOperations("[\(text)]")) == "[\(text)]")
    }

    @Test func `members may come in any order, with white space and escapes`() throws {
        let text = #"""
            [ { "items" : [ { "children" : [ { "id" : "y" } ] , "content" : { "a" : 1 } , "k\u0069nd" : "k\/", "id" : "\u0078" } ],
                "section" : "a" , "\u006fp" : "appendItems" } ]
            """#
        #expect(
            encode(try decodeOperations(text))
                == #"[{"op":"appendItems","section":"a","items":[{"id":"x","kind":"k/","content":{"a":1},"children":[{"id":"y"}]}]}]"#
        )
    }

    @Test func `null for an optional member is the same as leaving it out`() throws {
        let text =
            #"[{"op":"appendItems","section":"a","parent":null,"items":[{"id":"x","kind":null,"content":null,"expanded":null,"children":null}]}]"#
        #expect(encode(try decodeOperations(text)) == #"[{"op":"appendItems","section":"a","items":[{"id":"x"}]}]"#)
    }

    /// The messages have to be clear at three in the morning.
    @Test(
        arguments: [
            ("7", "operations must be an array, not 7 (at byte 0)", nil),
            ("[7]", "[0]: an operation must be an object, not 7 (at byte 1)", 0),
            ("[{}]", "[0]: an operation needs op, its name, such as \"appendItems\" (at byte 1)", 0),
            (
                #"[{"op":"deleteAllItems"},{"op":"appendItms"}]"#,
                #"[1].op: there is no operation "appendItms"; did you mean "appendItems"? (at byte 32)"#, 1
            ),
            (#"[{"op":"appendItems"}]"#, "[0]: appendItems needs the member items (at byte 1)", 0),
            (
                #"[{"op":"appendItems","itmes":[]}]"#,
                #"[0]: appendItems has no member "itmes"; did you mean "items"? (at byte 22)"#, 0
            ),
            (
                #"[{"op":"appendItems","before":"x","items":[]}]"#,
                #"[0]: appendItems has no member "before"; it has op, section, items, parent (at byte 22)"#, 0
            ),
            (
                #"[{"op":"deleteItems","op":"deleteItems","items":[]}]"#,
                #"[0]: deleteItems has the member "op" twice (at byte 22)"#, 0
            ),
            (
                #"[{"op":"appendItems","items":[{"id":"a"},{"kind":"k"}]}]"#,
                "[0].items[1]: an item needs an id (at byte 41)", 0
            ),
            (
                #"[{"op":"appendItems","items":[{"id":"a","children":[{"id":""}]}]}]"#,
                "[0].items[0].children[0].id: the id is empty; an identifier is 1 to 255 bytes of UTF-8 (at byte 59)", 0
            ),
            (
                #"[{"op":"appendItems","items":[{"id":7}]}]"#,
                "[0].items[0].id: an item's id must be a string, not 7 (at byte 36)",
                0
            ),
            (
                #"[{"op":"appendItems","items":[{"id":"a\u0000"}]}]"#,
                "[0].items[0].id: the id has a control character at byte 1; remove it: identifiers must not have any (at byte 37)",
                0
            ),
            (
                #"[{"op":"appendItems","items":[{"id":"a","id":"b"}]}]"#,
                #"[0].items[0]: an item has the member "id" twice (at byte 41)"#, 0
            ),
            (
                #"[{"op":"appendItems","items":[{"id":"a","text":"b"}]}]"#,
                #"[0].items[0]: an item has no member "text"; it has id, kind, content, expanded, children (at byte 41)"#,
                0
            ),
            (
                #"[{"op":"appendItems","items":[{"id":"a","expanded":1}]}]"#,
                "[0].items[0].expanded must be true or false, not 1 (at byte 51)", 0
            ),
            (
                #"[{"op":"insertItems","items":[{"id":"a"}]}]"#,
                "[0]: insertItems needs the member before or after; to append, use appendItems (at byte 1)", 0
            ),
            (
                #"[{"op":"insertItems","items":[],"before":"a","after":"b"}]"#,
                "[0]: insertItems takes before or after, not both (at byte 1)", 0
            ),
            (
                #"[{"op":"moveItem","item":"a"}]"#,
                "[0]: moveItem needs the member before, after, section or parent (at byte 1)", 0
            ),
            (
                #"[{"op":"moveItem","item":"a","after":null}]"#,
                "[0]: \"after\":null means the front of a section or parent: give section or parent too (at byte 1)", 0
            ),
            (#"[{"op":"moveItem","after":"a"}]"#, "[0]: moveItem needs the member item (at byte 1)", 0),
            (
                #"[{"op":"moveSection","section":"a"}]"#,
                "[0]: moveSection needs the member before or after (at byte 1)", 0
            ),
            (
                #"[{"op":"insertSections","sections":[]}]"#,
                "[0]: insertSections needs the member before or after (at byte 1)", 0
            ),
            (#"[{"op":"replaceChildren","items":[]}]"#, "[0]: replaceChildren needs the member parent (at byte 1)", 0),
            (
                #"[{"op":"deleteItems","items":[{"id":"a"}]}]"#,
                "[0].items[0]: an item's id must be a string, not an object (at byte 30)", 0
            ),
            (#"[{"op":"deleteItems","items":"a"}]"#, #"[0].items must be an array, not "a" (at byte 29)"#, 0),
            (
                #"[{"op":"patchItems","items":["a"]}]"#,
                #"[0].items[0]: an item must be an object with id and content, not "a" (at byte 29)"#, 0
            ),
            (
                #"[{"op":"patchItems","items":[{"id":"a"}]}]"#,
                "[0].items[0]: a patch needs content, a JSON merge patch (at byte 29)", 0
            ),
            (
                #"[{"op":"patchItems","items":[{"id":"a","content":{"b":1,"b":2}}]}]"#,
                #"[0].items[0].content: a patch has the member "b" twice (at byte 49)"#, 0
            ),
            (
                #"[{"op":"appendItems","items":[{"id":"a","content":{]}]}]"#,
                "a member name in quotes is expected, not ']' at byte 51", 0
            ),
        ] as [(String, String, Int?)])
    func `an error names the member, the byte and the operation`(text: String, message: String, operation: Int?) {
        let error = #expect(throws: DecodingError.self) { try decodeOperations(text) }
        #expect(error?.description == message)
        #expect(error?.operation == operation)
    }

    @Test func `a client passes over members that it does not know`() throws {
        let text =
            #"[{"op":"appendItems","animated":{"by":[1]},"items":[{"id":"x","colour":"red"}],"before":7}]"#
        #expect(encode(try decodeOperations(text, limits: .client)) == #"[{"op":"appendItems","items":[{"id":"x"}]}]"#)
    }

    // MARK: - Limits, at n and n + 1

    @Test func `as many operations as the limit`() throws {
        let limits = DecodingLimits(operationsMax: 3)
        let operation = #"{"op":"deleteAllItems"}"#
        #expect(try decodeOperations("[\(operation),\(operation),\(operation)]", limits: limits).count == 3)
        let error = #expect(throws: DecodingError.self) {
            try decodeOperations("[\(operation),\(operation),\(operation),\(operation)]", limits: limits)
        }
        #expect(error?.reason == .tooLarge(limit: "operationsMax", max: 3))
    }

    @Test func `content as long as the limit, counted without white space`() throws {
        let limits = DecodingLimits(contentLengthMax: 10)
        func operation(_ content: String) -> String {
            #"[{"op":"appendItems","items":[{"id":"x","content":\#(content)}]}]"#
        }
        #expect(try decodeOperations(operation(#""12345678""#), limits: limits).count == 1)
        #expect(try decodeOperations(operation(#"[ 12345678 ]"#), limits: limits).count == 1)
        for content in [#""123456789""#, "[123456789]", "[ 123456789 ]"] {
            let error = #expect(throws: DecodingError.self) { try decodeOperations(operation(content), limits: limits) }
            #expect(error?.reason == .tooLarge(limit: "contentLengthMax", max: 10))
            #expect(error?.path == "[0].items[0].content")
        }
        let text = #"[{"op":"reconfigureItems","items":[{"id":"x","content":"123456789"}]}]"#
        let error = #expect(throws: DecodingError.self) { try decodeOperations(text, limits: limits) }
        #expect(error?.path == "[0].items[0].content")
    }

    @Test func `as many levels as the limit`() throws {
        let limits = DecodingLimits(levelsMax: 3)
        func operation(levels: Int) -> String {
            let items = (1..<levels).reduce(#"[{"id":"i0"}]"#) { #"[{"id":"i\#($1)","children":\#($0)}]"# }
            return #"[{"op":"appendItems","items":\#(items)}]"#
        }
        #expect(try decodeOperations(operation(levels: 3), limits: limits).count == 1)
        let error = #expect(throws: DecodingError.self) { try decodeOperations(operation(levels: 4), limits: limits) }
        #expect(error?.reason == .tooLarge(limit: "levelsMax", max: 3))
        #expect(throws: DecodingError.self) { try decodeOperations(operation(levels: 40)) }
    }

    @Test func `ids of 255 bytes and no more`() throws {
        func operation(_ count: Int) -> String {
            #"[{"op":"deleteItems","items":["\#(String(repeating: "x", count: count))"]}]"#
        }
        #expect(try decodeOperations(operation(255)).count == 1)
        let error = #expect(throws: DecodingError.self) { try decodeOperations(operation(256)) }
        #expect(
            error?.description
                == "[0].items[0]: an id, a name, a kind or a key is longer than 255 bytes (idLengthMax); use a shorter one (at byte 31)"
        )
    }

    // MARK: - Snapshots

    @Test func `a snapshot is read with everything in it`() throws {
        let text =
            #"{"sections":[{"id":"a","content":1,"items":[{"id":"x","expanded":true,"children":[{"id":"y"}]}]},{"id":"b"}]}"#
        let sections = try decodeSections(text)
        #expect(sections.map(\.id) == ["a", "b"])
        #expect(sections[0].items[0].children[0].id == "y")
        #expect(sections[0].items[0].isExpanded == true)
        var writer = ByteWriter()
        writer.appendSnapshot(WholeList(sections: sections), expansion: .canonical)
        #expect(String(decoding: writer.bytes, as: UTF8.self) == text)
    }

    @Test(arguments: [
        ("{}", "a snapshot needs sections, an array (at byte 0)"),
        ("[]", "a snapshot must be an object, not an array (at byte 0)"),
        (
            #"{"sections":[{"id":"a","items":[{"ID":"x"}]}]}"#,
            #"sections[0].items[0]: an item has no member "ID"; did you mean "id"? (at byte 34)"#
        ),
        (#"{"sections":[]} x"#, "text after the end of the value at byte 16"),
    ])
    func `an error in a snapshot names the member`(text: String, message: String) {
        let error = #expect(throws: DecodingError.self) { try decodeSections(text) }
        #expect(error?.description == message)
    }
}
