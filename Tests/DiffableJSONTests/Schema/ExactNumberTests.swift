import DiffableJSON
import Testing

/// Number texts with a known order. Floating point could not distinguish most of them.
struct ExactNumberTests {
    /// Groups of equal numbers, from the least to the greatest.
    private static let ordered: [[String]] = [
        ["-1e100000000000000000000000000000"],
        [
            "-1e99999999999999999999999999999", "-10e99999999999999999999999999998",
            "-0.1e100000000000000000000000000000",
        ],
        ["-1e400", "-100e398"],
        ["-9007199254740993"],
        ["-9007199254740992", "-9007199254740992.000", "-9007199254740992e0"],
        ["-1.50000000000000000000000000000000000001"],
        ["-1.5", "-15e-1", "-0.15E+1", "-1.50"],
        ["-1e-99999999999999999999999999999"],
        ["0", "-0", "0.0", "0e99999999999999999999999", "-0.000E-5"],
        [
            "1e-99999999999999999999999999999", "0.1e-99999999999999999999999999998",
            "10e-100000000000000000000000000000",
        ],
        ["1e-99999999999999999999999999998"],
        ["1e-1000000000000000000", "10e-1000000000000000001", "0.1e-999999999999999999"],
        ["5e-324"],
        ["0.1", "1e-1", "0.10", "0.01e1", "100e-3"],
        ["0.10000000000000000000000000000000000001"],
        ["0.9999999999999999999999999999999999"],
        ["1", "1.0", "10e-1", "0.001e3", "1000000000000000000000000000000e-30", "1e00000000000000000000000000000"],
        ["1.0000000000000000000000000000000001"],
        ["2"],
        ["123456789012345678"],
        ["999999999999999999"],
        ["1000000000000000000", "1e18", "1000000000000000000.0"],
        ["1000000000000000001"],
        ["9223372036854775807"],
        ["9223372036854775808", "9.223372036854775808e18"],
        ["18446744073709551616"],
        ["100000000000000000000000000000000000001"],
        ["100000000000000000000000000000000000002", "1000000000000000000000000000000000000020e-1"],
        ["1e308"],
        ["1e400", "10e399", "0.00001e405"],
        ["1.0000000000000000000000001e400"],
        ["1e999999999999999999", "0.1e1000000000000000000", "10e999999999999999998"],
        ["9e9223372036854775806", "0.9e9223372036854775807", "0.09e9223372036854775808"],
        ["9e9223372036854775807", "0.9e9223372036854775808", "900e9223372036854775805"],
        ["9e9223372036854775808"],
        ["1e99999999999999999999999999999", "0.1e100000000000000000000000000000", "10e99999999999999999999999999998"],
        ["1e100000000000000000000000000000", "10e99999999999999999999999999999"],
        ["1.5e100000000000000000000000000000"],
    ]

    private static func fits(_ content: String, _ schema: String) throws -> Bool {
        let schema = try Schema(json: schema)
        return Array(content.utf8).withUnsafeBytes { schema.check($0) == nil }
    }

    @Test func `are compared by their exact value, in every way to write them`() throws {
        for (rank, texts) in Self.ordered.enumerated() {
            for bound in texts {
                let minimum = try Schema(json: #"{"minimum":\#(bound)}"#)
                let maximum = try Schema(json: #"{"maximum":\#(bound)}"#)
                let more = try Schema(json: #"{"exclusiveMinimum":\#(bound)}"#)
                let less = try Schema(json: #"{"exclusiveMaximum":\#(bound)}"#)
                let same = try Schema(json: #"{"const":\#(bound)}"#)
                for (other, numbers) in Self.ordered.enumerated() {
                    for number in numbers {
                        Array(number.utf8).withUnsafeBytes { number in
                            let text = String(decoding: number, as: UTF8.self)
                            #expect((minimum.check(number) == nil) == (other >= rank), "\(text) and \(bound)")
                            #expect((maximum.check(number) == nil) == (other <= rank), "\(text) and \(bound)")
                            #expect((more.check(number) == nil) == (other > rank), "\(text) and \(bound)")
                            #expect((less.check(number) == nil) == (other < rank), "\(text) and \(bound)")
                            #expect((same.check(number) == nil) == (other == rank), "\(text) and \(bound)")
                        }
                    }
                }
            }
        }
    }

    @Test(
        arguments: [
            ("1.0", true), ("10e-1", true), ("1e400", true), ("0.0", true), ("-0.00e-9", true), ("1.50e1", true),
            ("1e99999999999999999999", true), ("1.5e99999999999999999999", true), ("1.5", false), ("15e-1", false),
            ("1e-1", false), ("1e-99999999999999999999", false), ("150e-2", false), ("15000e-3", true),
            ("1.000000000000000000000000000000000000001", false), ("12345678901234567890123", true),
        ])
    func `are integers by their value`(number: String, isInteger: Bool) throws {
        #expect(try Self.fits(number, #"{"type":"integer"}"#) == isInteger)
        #expect(try Self.fits(number, #"{"type":["string","integer"]}"#) == isInteger)
        #expect(try Self.fits(number, #"{"type":"number"}"#))
    }

    /// A bound with many digits is parsed once; a number with many digits costs its length.
    @Test func `of many digits cost no more than their length`() throws {
        let digits = String(repeating: "1", count: 60_000)
        let numbers = (0..<30_000).map { _ in "1.5" }.joined(separator: ",")
        #expect(try Self.fits("[\(numbers)]", #"{"items":{"maximum":\#(digits)}}"#))
        #expect(try Self.fits(digits + "0", #"{"minimum":\#(digits),"type":"integer"}"#))
        #expect(try !Self.fits("1e-\(digits)", #"{"minimum":1}"#))
        let less = "\(digits.dropLast())0"
        #expect(try Self.fits("1e\(digits)", #"{"minimum":1e\#(less),"const":10e\#(less)}"#))
    }
}
