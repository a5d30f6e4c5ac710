import ArgumentParser
import DiffableInput

struct TableOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The names of the columns, if there is no header line.", valueName: "a,b,c"))
    var columns: String?
    @Option(help: ArgumentHelp("The columns that are numbers. Default: all columns are strings.", valueName: "a,b,c"))
    var numbers: String?
    @Option(
        help: ArgumentHelp(
            "Types of columns: text, number, boolean or json. An empty field is then null.",
            valueName: "a=number,b=boolean")
    )
    var types: String?
    @Option(
        help: ArgumentHelp(
            "The separator of CSV fields. Default: a comma, or ; or a tab if the first line has more of those.",
            valueName: "character"))
    var separator: Separator?

    /// Sets the columns of the input.
    func apply(to mapping: inout RowMapping) {
        mapping.columns = names
        mapping.numbers = numbers
        mapping.types = types
        mapping.separator = separator?.byte
    }

    private var names: [String]? { columns?.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
}

struct Separator: ExpressibleByArgument {
    let byte: UInt8

    init?(argument: String) {
        guard let byte = RowMapping.separator(argument) else { return nil }
        self.byte = byte
    }
}
