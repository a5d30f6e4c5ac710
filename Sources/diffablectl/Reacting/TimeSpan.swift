import ArgumentParser

/// A duration on the command line: `30s`, `500ms`, `2m`, `1h`, or seconds without a unit.
struct TimeSpan: ExpressibleByArgument, Equatable, CustomStringConvertible {
    let duration: Duration
    let description: String

    init?(argument: String) {
        let digits = argument.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard let number = Double(digits), number <= 1_000_000 else { return nil }
        let milliseconds: Double
        switch argument[digits.endIndex...] {
        case "ms": milliseconds = 1
        case "", "s": milliseconds = 1_000
        case "m": milliseconds = 60_000
        case "h": milliseconds = 3_600_000
        default: return nil
        }
        duration = .milliseconds(Int64((number * milliseconds).rounded(.up)))
        description = digits.endIndex == argument.endIndex ? "\(argument)s" : argument
    }
}
