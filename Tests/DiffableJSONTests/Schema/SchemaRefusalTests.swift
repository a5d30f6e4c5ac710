import DiffableJSON
import Testing

private func refusal(_ schema: String, _ limits: SchemaLimits = .standard) -> DecodingError? {
    do throws(DecodingError) {
        _ = try Schema(json: schema, limits: limits)
        return nil
    } catch {
        return error
    }
}

struct SchemaRefusalTests {
    @Test(
        arguments: [
            (#"{"typ":"string"}"#, #"the schema keyword "typ" is not supported here; did you mean "type"?"#),
            (
                #"{"properties":{"a":{"minLenght":1}}}"#,
                #"properties.a: the schema keyword "minLenght" is not supported here; did you mean "minLength"?"#
            ),
            (#"{"type":"strng"}"#, #"type: "strng" is not a type; did you mean "string"?"#),
            (#"{"type":7}"#, "type must be string, number, integer, boolean, null, array or object, not 7"),
            (#"{"type":[]}"#, "type must have at least one name"),
            (#"{"type":["null","null"]}"#, "type[1]: type names a type twice; remove one of the two"),
            (
                #"{"items":{"type":["null",1]}}"#,
                "items.type[1]: type must be string, number, integer, boolean, null, array or object, not 1"
            ),
            (#"{"minLength":-1}"#, "minLength must be a non-negative integer, not -1"),
            (#"{"maxItems":1.5}"#, "maxItems must be a non-negative integer, not 1.5"),
            (#"{"maxItems":"1"}"#, #"maxItems must be a non-negative integer, not "1""#),
            (#"{"minimum":"0"}"#, #"minimum must be a number, not "0""#),
            (#"{"minimum":null}"#, "minimum must be a number, not null"),
            (#"{"required":["a","\u0061"]}"#, #"required[1]: required has "a" twice; remove one of the two"#),
            (#"{"required":"a"}"#, #"required must be an array, not "a""#),
            (#"{"required":[1]}"#, "required[0]: a required member's name must be a string, not 1"),
            (#"{"properties":[]}"#, "properties must be an object, not an array"),
            (#"{"properties":{"a":1}}"#, "properties.a: the schema must be an object, true or false, not 1"),
            (#"{"properties":{"a":true,"\u0061":true}}"#, #"properties has the member "a" twice"#),
            (#"{"items":[{}]}"#, "items: the schema must be an object, true or false, not an array"),
            (#"{"enum":1}"#, "enum must be an array, not 1"),
            (#"{"const":{"a":1,"a":2}}"#, "const: an object has a duplicate member, so no value can be equal to it"),
            (#"{"title":{"type":"string"}}"#, "title must be a string, not an object"),
            (#"{"examples":{}}"#, "examples must be an array, not an object"),
            (#"{"type":"null","type":"null"}"#, #"the schema has the member "type" twice"#),
            ("7", "the schema must be an object, true or false, not 7"),
            (
                #"{"$schema":"http://json-schema.org/draft-07/schema#"}"#,
                #"$schema must be "https://json-schema.org/draft/2020-12/schema", not "http://json-schema.org/draft-07/schema#"; other versions of JSON Schema are not supported"#
            ),
        ])
    func `what a schema cannot say is refused with the place and what to do`(schema: String, sentence: String) {
        #expect(refusal(schema)?.statement == sentence)
    }

    /// Each of these could cost more than one pass, or needs unsupported features.
    @Test(arguments: [
        "pattern", "patternProperties", "$ref", "$defs", "$dynamicRef", "$id", "$anchor", "$comment", "allOf", "anyOf",
        "oneOf",
        "not", "if", "then", "else", "dependentSchemas", "dependentRequired", "prefixItems", "contains", "minContains",
        "maxContains", "uniqueItems", "multipleOf", "propertyNames", "minProperties", "maxProperties",
        "unevaluatedItems",
        "unevaluatedProperties", "additionalItems", "definitions", "contentEncoding", "readOnly", "deprecated",
        "x-order",
    ])
    func `any other keyword is refused by name`(keyword: String) throws {
        let error = try #require(refusal(#"{"properties":{"a":{"\#(keyword)":{}}}}"#))
        #expect(error.statement.hasPrefix(#"properties.a: the schema keyword "\#(keyword)" is not supported here; "#))
        #expect(error.offset == #"{"properties":{"a":{"x"#.utf8.count - 1)
    }

    @Test func `annotations are taken, and say nothing`() throws {
        let schema = try Schema(
            json: #"""
                {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "T", "description": "D",
                 "format": "date", "default": {"a": 1, "a": 2}, "examples": [1, null]}
                """#)
        for text in ["1", "null", #"{"a":[1]}"#, #""no date""#] {
            #expect(Array(text.utf8).withUnsafeBytes { schema.check($0) } == nil)
        }
        #expect(!schema.json.contains(UInt8(ascii: "\n")))
    }

    @Test func `a schema may be as long as the limit, and one byte more is refused by its name`() {
        let schema = #"{"title": "abc"}"#
        let length = schema.utf8.count - 1
        #expect(refusal(schema, SchemaLimits(lengthMax: length)) == nil)
        let error = refusal(schema, SchemaLimits(lengthMax: length - 1))
        #expect(error?.reason == .tooLarge(limit: "schemaLengthMax", max: length - 1))
    }

    @Test func `schemas are as deep as the limit, and one more is refused by its name`() {
        let schema = #"{"items":{"properties":{"a":{}}}}"#
        #expect(refusal(schema, SchemaLimits(depthMax: 3)) == nil)
        #expect(refusal(schema, SchemaLimits(depthMax: 2))?.reason == .tooLarge(limit: "schemaDepthMax", max: 2))
    }

    @Test func `there are as many keywords as the limit, and one more is refused by its name`() {
        let schema = #"{"items":{"type":"null"},"title":"","properties":{"a":{},"b":{"type":"null"}}}"#
        #expect(refusal(schema, SchemaLimits(keywordsMax: 5)) == nil)
        #expect(refusal(schema, SchemaLimits(keywordsMax: 4))?.reason == .tooLarge(limit: "schemaKeywordsMax", max: 4))
    }

    @Test func `a limit's message names the limit`() {
        for limits in [SchemaLimits(lengthMax: 3), SchemaLimits(depthMax: 0), SchemaLimits(keywordsMax: 0)] {
            #expect(refusal(#"{"type":"null"}"#, limits)?.statement.contains("Max)") == true)
        }
    }
}
