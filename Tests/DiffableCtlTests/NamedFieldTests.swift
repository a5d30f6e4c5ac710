import Diffable
import Testing

@testable import DiffableInput
@testable import diffablectl

struct NamedFieldTests {
    private func fields(_ conditions: String...) throws -> [String] {
        var options = ConditionOptions()
        options.conditions = conditions
        return try options.namedFields.map { "\($0.path) \($0.use)" }
    }

    @Test func `the fields of conditions are those that are looked at`() throws {
        #expect(
            try fields("cpu>10", "id=a", "text~x", "!done", "state!=up", "due", "due?") == [
                ".cpu comparedWithNumber", ".text compared", ".done absent", ".state absent",
                ".due truth", ".due compared",
            ])
        #expect(
            try fields("due<2027-01-01", "n:=1", #"n<"1""#) == [
                ".due compared", ".n comparedWithNumber", ".n compared",
            ])
        #expect(
            try fields(#"{"or":[{"path":"/a/b","equals":1},{"not":{"path":"id","equals":"x"}}]}"#) == ["/a/b absent"])
    }

    private func words(_ use: NamedField.Use, _ values: String...) throws -> String? {
        let path = try #require(FieldPath(".cpu"))
        let field = try #require(NamedField(.content(path), "--where", use))
        return FieldAdvice.numberWords(field, try values.map { JSONReader(try #require(Content.parsed($0))) })
    }

    @Test func `numbers that are texts are pointed out where that matters`() throws {
        #expect(try words(.comparedWithNumber, #""9.5""#, "null", #""10""#)?.contains("--numbers") == true)
        #expect(try words(.comparedWithNumber, #""9.5""#, "10") == nil)
        #expect(try words(.comparedWithNumber, "null") == nil)
        #expect(try words(.compared, #""9.5""#) == nil)
        #expect(try words(.sorted, #""10""#, #""9""#)?.contains("--sort '#.cpu'") == true)
        #expect(try words(.sorted, #""10""#, #""19""#) == nil, "the order is the same")
        #expect(try words(.sorted, #""10""#, #""much""#) == nil)
        #expect(try words(.sortedByNumber, #""10""#, #""9""#) == nil)
        #expect(try words(.truth, "true", #""False""#)?.contains("use --where '.cpu=true'") == true)
        #expect(try words(.truth, "false", #""x""#) == nil)
    }
}
