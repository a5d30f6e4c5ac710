import Diffable
import DiffableJSON
import Testing

/// Checks compact text as it is.
private func check(_ text: String, _ schema: String) throws -> Violation? {
    let schema = try Schema(json: schema)
    return Array(text.utf8).withUnsafeBytes { schema.check($0) }
}

struct SchemaTests {
    /// Each violation with its place and keyword, one for each keyword.
    @Test(
        arguments: [
            (#"{"type":"object"}"#, "[]", "", "type", "the content must be an object, not an array"),
            (#"{"type":["string","null"]}"#, "7", "", "type", "the content must be a string or null, not 7"),
            (
                #"{"properties":{"due":{"type":"string"}}}"#, #"{"a":1,"due":5}"#, "/due", "type",
                "/due must be a string, not 5"
            ),
            (#"{"type":"integer"}"#, "1.5", "", "type", "the content must be an integer, not 1.5"),
            (#"{"type":"boolean"}"#, "null", "", "type", "the content must be true or false, not null"),
            (
                #"{"properties":{"a":false}}"#, #"{"a":1}"#, "/a", "properties",
                "/a is not allowed, because its schema is false"
            ),
            (#"{"required":["a","b"]}"#, #"{"a":1}"#, "", "required", #"the content must have the member "b""#),
            (
                #"{"properties":{"text":{}},"additionalProperties":false}"#, #"{"txet":1}"#, "/txet",
                "additionalProperties", #"/txet is a member that the schema does not allow; did you mean "text"?"#
            ),
            (
                #"{"additionalProperties":{"type":"null"}}"#, #"{"a/b~":[]}"#, "/a~1b~0", "type",
                "/a~1b~0 must be null, not an array"
            ),
            (
                #"{"items":{"items":{"type":"string"}}}"#, #"[["a"],["b",{"a":[1]}]]"#, "/1/1", "type",
                "/1/1 must be a string, not an object"
            ),
            (#"{"items":false}"#, "[[]]", "/0", "items", "/0 is not allowed, because its schema is false"),
            (
                #"{"enum":["open","done",3]}"#, #""opne""#, "", "enum",
                #"the content must be "open", "done" or 3, not "opne""#
            ),
            (#"{"enum":[]}"#, "1", "", "enum", "the content is not allowed, because enum is empty"),
            (#"{"const":{"a":1}}"#, "{}", "", "const", #"the content must be {"a":1}, not an object"#),
            (#"{"minimum":0}"#, "-1", "", "minimum", "the content must be at least 0, not -1"),
            (#"{"maximum":0}"#, "1", "", "maximum", "the content must be at most 0, not 1"),
            (#"{"exclusiveMinimum":0}"#, "0", "", "exclusiveMinimum", "the content must be more than 0, not 0"),
            (#"{"exclusiveMaximum":0}"#, "0", "", "exclusiveMaximum", "the content must be less than 0, not 0"),
            (#"{"minLength":1}"#, #""""#, "", "minLength", "the content must have at least 1 character, not 0"),
            (#"{"maxLength":2}"#, #""abc""#, "", "maxLength", "the content must have at most 2 characters, not 3"),
            (#"{"minItems":1}"#, "[]", "", "minItems", "the content must have at least 1 element, not 0"),
            (#"{"maxItems":1}"#, "[1,2]", "", "maxItems", "the content must have at most 1 element, not 2"),
            ("false", "1", "", "false", "the content is not allowed, because the schema is false"),
        ])
    func `a violation says where, what, and by which keyword`(
        schema: String, content: String, path: String, keyword: String, sentence: String
    ) throws {
        let violation = try #require(try check(content, schema))
        #expect(violation.path == path)
        #expect(violation.keyword == keyword)
        #expect("\(violation)" == sentence)
    }

    @Test func `a sentence names the item`() throws {
        let violation = try #require(try check(#"{"due":5}"#, #"{"properties":{"due":{"type":"string"}}}"#))
        #expect(violation.sentence(of: "milk") == #"/due of item "milk" must be a string, not 5"#)
        let whole = try #require(try check("5", #"{"type":"object"}"#))
        #expect(whole.sentence(of: "milk") == #"the content of item "milk" must be an object, not 5"#)
    }

    /// In the protocol, `null` means missing content, so a schema sees missing content as `null`.
    @Test(
        arguments: [
            ("{}", nil), ("true", nil), (#"{"properties":{"a":false},"required":["a"]}"#, nil),
            (#"{"type":"null"}"#, nil),
            (#"{"type":["object","null"],"required":["a"]}"#, nil), (#"{"const":null}"#, nil),
            (#"{"type":"object"}"#, "the content must be an object, but there is none"),
            (#"{"enum":[1,2]}"#, "the content must be 1 or 2, but there is none"),
            ("false", "the content is not allowed, because the schema is false"),
        ] as [(String, String?)])
    func `no content is checked as null`(schema: String, sentence: String?) throws {
        #expect(try Schema(json: schema).check(nil)?.description == sentence)
    }

    @Test(
        arguments: [
            // Members in any order, numbers by value, strings by scalars.
            (#"{"const":{"a":[1,{"b":2,"c":"x"}],"d":null}}"#, #"{"d":null,"a":[1.0,{"c":"\u0078","b":20e-1}]}"#, true),
            (#"{"const":{"a":1}}"#, #"{"a":1,"b":1}"#, false),
            (#"{"const":{"a":1,"b":1}}"#, #"{"a":1}"#, false),
            (#"{"const":[1,2]}"#, "[2,1]", false),
            (#"{"const":[[],1]}"#, "[[1]]", false),
            (#"{"const":true}"#, "1", false),
            (#"{"const":"1"}"#, "1", false),
            (#"{"const":0}"#, "-0", true),
            (#"{"const":0}"#, "0.000e-7", true),
            (#"{"const":0}"#, "false", false),
            (#"{"const":"é"}"#, #""\u00e9""#, true),
            (#"{"const":"é"}"#, #""e\u0301""#, false),
            (#"{"const":"a\"b"}"#, #""a\u0022b""#, true),
            (#"{"enum":["a","b","c","d","e","f","g","h","a long one","a lone one"]}"#, #""a lone one""#, true),
            (#"{"enum":["a","b","c","d","e","f","g","h","a long one","a lone one"]}"#, #""a lane one""#, false),
            (#"{"enum":[[],{},"",0,null,false]}"#, "{}", true),
            (#"{"enum":[[],{},"",0,null,true]}"#, "false", false),
            // A string with a comma is not two strings.
            (#"{"const":["a,b"]}"#, #"["a","b"]"#, false),
            (#"{"const":["a\",\"b"]}"#, #"["a","b"]"#, false),
            (#"{"const":"\"a"}"#, #""a""#, false),
        ])
    func `constants are equal as JSON Schema has it`(schema: String, content: String, fits: Bool) throws {
        #expect(try (check(content, schema) == nil) == fits)
    }

    @Test(
        arguments: [
            (#"{"maxLength":1}"#, #""\ud83d\ude00""#, true), (#"{"maxLength":1}"#, #""😀""#, true),
            (#"{"maxLength":1}"#, #""e\u0301""#, false), (#"{"minLength":2}"#, #""é""#, false),
            (#"{"minLength":3}"#, #""\n\"\\""#, true), (#"{"minLength":4}"#, #""\n\"\\""#, false),
            (#"{"minLength":2}"#, #""\ud7ff\ue000""#, true), (#"{"maxLength":1}"#, #""\uD7FF\uE000""#, false),
            (#"{"minLength":2.0}"#, #""ab""#, true), (#"{"maxLength":1e0}"#, #""ab""#, false),
            (#"{"maxLength":123456789012345678901234567890}"#, #""ab""#, true),
            (#"{"minLength":123456789012345678901234567890}"#, #""ab""#, false),
        ])
    func `lengths count scalars`(schema: String, content: String, fits: Bool) throws {
        #expect(try (check(content, schema) == nil) == fits)
    }

    /// A reader of such content may use the first or the last member: both match.
    @Test func `a member that stands twice has to fit each time, and equals no constant`() throws {
        let schema = #"{"properties":{"a":{"type":"string"}},"required":["a"]}"#
        #expect(try check(#"{"a":"x","a":"y"}"#, schema) == nil)
        #expect(try check(#"{"a":"x","a":1}"#, schema) != nil)
        #expect(try check(#"{"a":1,"\u0061":"x"}"#, schema) != nil)
        #expect(try check(#"{"a":1,"a":1}"#, #"{"const":{"a":1}}"#) != nil)
        #expect(try check(#"[{"a":1,"\u0061":1}]"#, #"{"enum":[[{"a":1}]]}"#) != nil)
    }

    @Test(
        arguments: [
            (#"{"properties":{"a\":\"b":false}}"#, #"{"a":"b","c":"not at the end"}"#, true),
            (#"{"properties":{"a\":\"b":false}}"#, #"{"a\":\"b":0}"#, false),
            (#"{"properties":{"a\\":false}}"#, #"{"a\"":0,"c":"not at the end"}"#, true),
            (#"{"properties":{"a\\":false}}"#, #"{"a\\":0}"#, false),
            (#"{"properties":{"":false}}"#, #"{"":0}"#, false),
            (#"{"properties":{"":false}}"#, #"{"a":0}"#, true),
            (#"{"properties":{"abcdefgh":true,"abcdefghi":false}}"#, #"{"abcdefghi":0}"#, false),
            (#"{"properties":{"abcdefgh":true,"abcdefghi":false}}"#, #"{"abcdefghj":0}"#, true),
            (#"{"properties":{"text":false}}"#, #"{"\u0074ext":0}"#, false),
        ])
    func `names are what they mean`(schema: String, content: String, fits: Bool) throws {
        #expect(try (check(content, schema) == nil) == fits)
    }

    /// More than the bits of a word.
    @Test(arguments: [63, 64, 65, 128, 129, 200])
    func `each of many required members is missed`(count: Int) throws {
        let names = (0..<count).map { #""member \#($0)""# }
        let schema = try Schema(json: #"{"required":[\#(names.joined(separator: ","))]}"#)
        #expect(schema.check(try Content(json: "{\(names.map { "\($0):1" }.joined(separator: ","))}")) == nil)
        for left in [0, 1, 62, 63, 64, 127, 128, count - 1] where left < count {
            let others = names.indices.filter { $0 != left }.reversed().map { "\(names[$0]):1" }
            let violation = schema.check(try Content(json: "{\(others.joined(separator: ","))}"))
            #expect(violation?.description == "the content must have the member \(names[left])")
        }
    }
}
