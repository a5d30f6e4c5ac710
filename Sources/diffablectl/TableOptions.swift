import ArgumentParser
import DiffableInput

/// Options for reading a table: CSV, TSV or aligned columns.
struct TableOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The names of its columns, if it has no header line.", valueName: "a,b,c"))
    var columns: String?
    @Option(help: ArgumentHelp("The columns that are numbers; without it all are text.", valueName: "a,b,c"))
    var numbers: String?
    @Option(
        help: ArgumentHelp(
            "What columns are: text, number, boolean or json. An empty field is then null.",
            valueName: "a=number,b=boolean")
    )
    var types: String?
    @Option(
        help: ArgumentHelp(
            "What stands between the fields of CSV; by default a comma, or what its first line has more of: ; or a tab.",
            valueName: "character"))
    var separator: Separator?

    var names: [String]? { columns?.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
}

/// A field separator: one ASCII character.
struct Separator: ExpressibleByArgument {
    let byte: UInt8

    init?(argument: String) {
        guard let byte = RowMapping.separator(argument) else { return nil }
        self.byte = byte
    }
}
