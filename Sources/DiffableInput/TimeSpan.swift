/// A duration as people write it: `30s`, `500ms`, `2m`, `1h`, or seconds without a unit.
package struct TimeSpan: Equatable, Sendable, CustomStringConvertible {
    package let duration: Duration
    package let description: String

    package init?(_ text: String) {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard let number = Double(digits), number <= 1_000_000 else { return nil }
        let milliseconds: Double
        switch text[digits.endIndex...] {
        case "ms": milliseconds = 1
        case "", "s": milliseconds = 1_000
        case "m": milliseconds = 60_000
        case "h": milliseconds = 3_600_000
        default: return nil
        }
        duration = .milliseconds(Int64((number * milliseconds).rounded(.up)))
        description = digits.endIndex == text.endIndex ? "\(text)s" : text
    }
}
