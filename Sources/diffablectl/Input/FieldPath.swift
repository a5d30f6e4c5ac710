import ArgumentParser

/// Names a field of a row as the options of `apply` take it: `.name`, `name`, or `.owner.name` for an inner one.
struct FieldPath: ExpressibleByArgument, Equatable, Sendable, CustomStringConvertible {
    /// The whole name, which a row may have as it stands (a column called `a.b`).
    let name: String
    /// The way down through inner objects, when no member has the whole name.
    let names: [String]

    init?(argument: String) {
        self.init(argument.hasPrefix(".") ? String(argument.dropFirst()) : argument)
    }

    init?(_ name: String) {
        let names = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard !names.contains("") else { return nil }
        self.name = name
        self.names = names
    }

    var description: String { ".\(name)" }
}
