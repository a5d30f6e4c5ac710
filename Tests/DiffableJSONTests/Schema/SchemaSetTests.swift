import Diffable
import DiffableJSON
import Testing

private func schemas(
    _ json: String, others: SchemaSet.OtherKinds = .allow, limits: SchemaLimits = .standard
) throws(DecodingError) -> SchemaSet {
    try Array(json.utf8).withUnsafeBufferPointer { bytes throws(DecodingError) in
        try SchemaSet(json: UnsafeRawBufferPointer(bytes), others: others, limits: limits)
    }
}

struct SchemaSetTests {
    private let text = #"{"todo": {"type": "object"}, "": {"type": ["string", "null"]}, "header": false}"#

    private func check(_ set: SchemaSet, kind: Kind?, content: String?) throws -> Violation? {
        set.check(Item(id: "a", kind: kind, content: try content.map { try Content(json: $0) }).record)
    }

    @Test func `each kind has its schema, and what has none that of the empty name`() throws {
        let set = try schemas(text)
        #expect(try check(set, kind: "todo", content: "{}") == nil)
        #expect(try check(set, kind: "todo", content: "7")?.keyword == "type")
        #expect(try check(set, kind: "todo", content: "7")?.kind == "todo")
        #expect(
            try check(set, kind: "todo", content: nil)?.description
                == "the content must be an object, but there is none")
        #expect(try check(set, kind: nil, content: #""a""#) == nil)
        #expect(try check(set, kind: nil, content: nil) == nil)
        #expect(try check(set, kind: nil, content: "7")?.keyword == "type")
        #expect(try check(set, kind: "header", content: "7")?.keyword == "false")
    }

    @Test func `kinds without a schema are allowed or refused`() throws {
        #expect(try check(try schemas(text), kind: "tood", content: "7") == nil)
        let strict = try schemas(text, others: .refuse)
        let violation = try #require(try check(strict, kind: "tood", content: "7"))
        #expect(violation.keyword == "others")
        #expect(violation.kind == "tood")
        #expect(violation.path == "")
        #expect(
            violation.sentence(of: "a")
                == #"item "a" has the kind "tood", for which the list has no schema (others is "refuse"); did you mean "todo"?"#
        )
        let none = try schemas("{}", others: .refuse)
        #expect(
            try check(none, kind: nil, content: nil)?.predicate
                == #"has no kind, for which the list has no schema (others is "refuse")"#)
    }

    @Test func `a set without schemas that allows others checks nothing`() throws {
        #expect(SchemaSet().isEmpty)
        #expect(try schemas("{}").isEmpty)
        #expect(try schemas("{}") == SchemaSet())
        #expect(try !schemas("{}", others: .refuse).isEmpty)
        #expect(try !schemas(text).isEmpty)
    }

    @Test func `its text comes back without white space, and is the same set`() throws {
        let set = try schemas(text)
        let written = String(decoding: set.json, as: UTF8.self)
        #expect(written == #"{"todo":{"type":"object"},"":{"type":["string","null"]},"header":false}"#)
        #expect(try schemas(written) == set)
        #expect(try schemas(written, others: .refuse) != set)
    }

    @Test(
        arguments: [
            ("[]", "schemas must be an object, not an array"),
            (
                #"{"todo":{"type":"x"}}"#,
                "todo.type must be string, number, integer, boolean, null, array or object, not \"x\""
            ),
            (
                #"{"":{"items":{"typ":1}}}"#,
                #""".items: the schema keyword "typ" is not supported here; did you mean "type"?"#
            ),
            (#"{"todo":{},"todo":{}}"#, #"schemas has the kind "todo" twice"#),
            (#"{"a":null}"#, "a: the schema must be an object, true or false, not null"),
        ])
    func `what is wrong is said with the kind`(json: String, sentence: String) {
        let error = #expect(throws: DecodingError.self) { try schemas(json) }
        #expect(error?.statement == sentence)
    }

    @Test func `a kind is as long as an id may be`() throws {
        func set(_ length: Int) -> String { #"{"\#(String(repeating: "k", count: length))":true}"# }
        #expect(throws: Never.self) { try schemas(set(255)) }
        let error = #expect(throws: DecodingError.self) { try schemas(set(256)) }
        #expect(error?.reason == .tooLarge(limit: "idLengthMax", max: 255))
    }

    @Test func `limits are for all schemas of a list together`() throws {
        let json = #"{"a":{"type":"null"},"b":{"type":"null"}}"#
        #expect(throws: Never.self) {
            try schemas(json, limits: SchemaLimits(lengthMax: json.utf8.count, keywordsMax: 2))
        }
        let long = #expect(throws: DecodingError.self) {
            try schemas(json, limits: SchemaLimits(lengthMax: json.utf8.count - 1))
        }
        #expect(long?.reason == .tooLarge(limit: "schemaLengthMax", max: json.utf8.count - 1))
        let many = #expect(throws: DecodingError.self) { try schemas(json, limits: SchemaLimits(keywordsMax: 1)) }
        #expect(many?.reason == .tooLarge(limit: "schemaKeywordsMax", max: 1))
    }
}
