import ArgumentParser
import Diffable
import DiffableInput

/// How `view -` reads rows from standard input: as `apply` does.
struct ShownRowsOptions: ParsableArguments {
    @Option(help: "The format of standard input. Default: JSON, NDJSON or lines, as for apply.") var from: InputFormat?
    @Option(
        help: ArgumentHelp(
            "The field that identifies a row. With --from lines: number or hash, if lines can repeat.",
            valueName: "field"))
    var id: FieldPath?
    @Option(help: ArgumentHelp("The field with the id of a row's parent.", valueName: "field")) var parent: FieldPath?
    @Option(help: ArgumentHelp("The only field to keep; it becomes the item's text.", valueName: "field")) var text:
        FieldPath?
    @OptionGroup var table: TableOptions

    func validate() throws {
        do throws(InputError) { try mapping.check() } catch { throw ValidationError("\(error)") }
    }

    private var mapping: RowMapping {
        var mapping = RowMapping()
        mapping.from = from
        mapping.set(.init(id: id, section: nil, parent: parent, text: text))
        table.apply(to: &mapping)
        return mapping
    }

    /// The whole input, which no daemon limits.
    func read() async throws -> Snapshot {
        let bytes = try await inputBytes(of: "-", "the rows", within: InputLimit { _ in nil })
        switch try mapping.input(bytes, file: nil, named: "standard input") {
        case .whole(var list):
            if from?.isTable == true, text == nil { list.suggestTable() }
            return try Snapshot(list)
        case .items(let items): return try Snapshot([Section(id: ItemBuilder.defaultSection, items: items)])
        }
    }
}
