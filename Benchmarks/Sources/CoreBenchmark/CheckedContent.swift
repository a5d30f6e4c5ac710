import Diffable
import DiffableJSON

/// A typical content of 300 bytes, and the schema that checks it.
struct CheckedContent {
    private let bytes: [UInt8]
    private let schema: Schema

    init() throws {
        schema = try Schema(
            json: #"""
                {"$schema":"https://json-schema.org/draft/2020-12/schema","title":"A task","type":"object",
                 "properties":{
                    "text":{"type":"string","minLength":1,"maxLength":500},
                    "done":{"type":"boolean"},
                    "due":{"type":["string","null"],"format":"date"},
                    "priority":{"type":"integer","minimum":0,"maximum":9},
                    "state":{"enum":["open","waiting","started","done"]},
                    "estimate":{"type":"number","exclusiveMinimum":0},
                    "tags":{"type":"array","items":{"type":"string","maxLength":40},"maxItems":20},
                    "owner":{"type":"object",
                        "properties":{"name":{"type":"string"},"uid":{"type":"integer","minimum":0}},
                        "required":["name"],"additionalProperties":false}},
                 "required":["text","done"],"additionalProperties":false}
                """#)
        let before =
            #"{"text":"Ask the neighbours whether they can look after the cat in the second half of August, "#
        let after =
            #"","done":false,"due":"2027-08-15","priority":3,"state":"open","estimate":1.5,"#
            + #""tags":["cat","neighbours","holiday"],"owner":{"name":"somebody","uid":1000}}"#
        let text = String(repeating: "x", count: 300 - before.utf8.count - after.utf8.count)
        bytes = Array((before + text + after).utf8)
    }

    /// The cost of reading the content, and of checking it after that, by name.
    var workloads: [(String, () throws -> Void)] {
        [
            (
                "scan of a 300-byte content",
                {
                    try bytes.withUnsafeBytes { bytes in
                        var scanner = JSONScanner(bytes, depthMax: DecodingLimits.server.depthMax)
                        _ = try scanner.value()
                        try scanner.end()
                    }
                }
            ),
            (
                "check of the same against its schema",
                { bytes.withUnsafeBytes { precondition(schema.check($0) == nil) } }
            ),
        ]
    }
}
