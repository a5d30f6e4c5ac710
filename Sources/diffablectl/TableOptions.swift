import ArgumentParser

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

    func validate() throws {
        do throws(InputError) { _ = try readTypes() } catch { throw ValidationError("\(error)") }
    }

    var names: [String]? { columns?.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }

    func readTypes() throws(InputError) -> ColumnTypes? {
        let types = try ColumnTypes(numbers: numbers, types: types)
        return types.isEmpty ? nil : types
    }

    private var firstUsed: String? {
        let options = [
            ("--columns", columns != nil), ("--numbers", numbers != nil), ("--types", types != nil),
            ("--separator", separator != nil),
        ]
        return options.first { $0.1 }?.0
    }

    /// Whether an option is for tables, so that the input has to be one.
    var areUsed: Bool { firstUsed != nil }

    /// Without a table these options would be ignored silently, so they are refused.
    func refuse(for format: InputFormat) throws(InputError) {
        guard let firstUsed else { return }
        throw InputError(
            "\(firstUsed) is for tables, and this is read as \(format.rawValue): say --from csv, tsv or columns")
    }
}

extension InputFormat {
    var isTable: Bool { [.csv, .tsv, .columns].contains(self) }
}

/// A field separator: one ASCII character.
struct Separator: ExpressibleByArgument {
    let byte: UInt8

    init?(argument: String) {
        // The form that can be typed in a shell.
        let text = argument == "\\t" ? "\t" : argument
        guard text.utf8.count == 1, let byte = text.utf8.first, byte < 0x80, byte != UInt8(ascii: "\""),
            byte == UInt8(ascii: "\t") || byte >= 0x20
        else { return nil }
        self.byte = byte
    }
}
