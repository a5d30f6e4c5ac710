import ArgumentParser
import Diffable
import DiffableClient
import DiffableInput

struct RowOptions: ParsableArguments {
    @Option(
        help: """
            The input format. By default, the ending of the file's name determines it; other input is read as JSON, NDJSON or \
            lines, and is refused if it looks like another format. In tsv, \\t, \\n, \\r and \\\\ mean a tab, a line feed, a \
            carriage return and a backslash. jsonl is the same as ndjson.
            """)
    var from: InputFormat?
    @Option(
        help: ArgumentHelp(
            "The field that identifies a row. With --from lines: number or hash, if lines can repeat.",
            valueName: "field"))
    var id: FieldPath?
    @Option(help: ArgumentHelp("The field with a row's section.", valueName: "field")) var section: FieldPath?
    @Option(help: ArgumentHelp("The field with the id of a row's parent.", valueName: "field")) var parent: FieldPath?
    @Option(help: ArgumentHelp("The only field to keep; it becomes the item's text.", valueName: "field")) var text:
        FieldPath?
    @Option(help: ArgumentHelp("The member of a JSON object that contains the rows.", valueName: "field")) var rows:
        FieldPath?
    @Option(help: "How to treat rows whose parent does not exist: refuse, or top (put them at the top level).")
    var orphans = OrphanRule.refuse
    @OptionGroup(title: "For tables") var table: TableOptions
    @Option(
        help: ArgumentHelp(
            "Replace only the items of this section; apply creates it if needed.", valueName: "section"),
        completion: .sections, transform: sectionID)
    var into: SectionID?

    func validate() throws {
        if into != nil, section != nil {
            throw ValidationError("--into names one section for all rows, --section a field that does; use one of them")
        }
        do throws(InputError) { try mapping.check() } catch { throw ValidationError("\(error)") }
    }

    private var mapping: RowMapping {
        var mapping = RowMapping()
        mapping.from = from
        mapping.set(.init(id: id, section: section, parent: parent, text: text))
        table.apply(to: &mapping)
        mapping.rows = rows
        mapping.orphans = orphans
        return mapping
    }

    /// `nil` and `-` are standard input.
    func read(_ file: String?, of list: ListName, within limit: InputLimit) async throws -> Input {
        let bytes = try await inputBytes(of: file, "the new state of \(list)", within: limit)
        return try input(bytes, file: file, named: file.flatMap { $0 == "-" ? nil : $0 } ?? "standard input")
    }

    /// `file` is the file's name, whose extension may determine the format.
    func input(_ bytes: [UInt8], file: String?, named name: String) throws -> Input {
        try mapping.input(bytes, file: file, named: name, extent: into == nil ? .wholeList : .oneSection)
    }

    /// Whether the input is a table whose columns become members of the items.
    func readsTable(_ file: String?) -> Bool {
        let format = from ?? file.flatMap(InputFormat.known)
        return text == nil && into == nil && format?.isTable == true
    }

    var defaultSection: SectionID { into ?? ItemBuilder.defaultSection }
}

extension Connection {
    func apply(
        _ input: Input, to list: ListName, _ rows: RowOptions, delivery: Delivery = .difference,
        ifRevision: Int? = nil, requestKey: RequestKey? = nil, mode: TransactionMode = .commit
    ) async throws -> Outcome {
        do {
            return switch input {
            case .whole(let whole):
                try await apply(
                    list, whole.sections, content: whole.content, delivery: delivery, ifRevision: ifRevision,
                    requestKey: requestKey, mode: mode)
            case .items(let items):
                try await apply(
                    list, items: items, inSection: rows.defaultSection, delivery: delivery, ifRevision: ifRevision,
                    requestKey: requestKey, mode: mode)
            }
        } catch ClientError.refused(let refusal) where refusal.code == .tooLarge {
            throw ClientError.refused(try await naming(input, in: refusal))
        }
    }

    /// Names the row in a refusal, instead of its place in the request.
    func naming(_ input: Input, in refusal: Refusal) async throws -> Refusal {
        guard let max = try await limit("contentLengthMax"), let problem = input.longItem(contentLengthMax: max) else {
            return refusal
        }
        var refusal = refusal
        refusal.message =
            "\(problem); nothing was changed. Shorten its content, or raise the limit in the daemon's configuration"
        // The row is named, and its place in the request means nothing to the user.
        refusal.operation = nil
        return refusal
    }

    func preview(
        _ input: Input, of list: ListName, _ rows: RowOptions, ifRevision: Int? = nil
    ) async throws -> Preview {
        let old = try await state(of: list).snapshot
        let outcome = try await apply(input, to: list, rows, ifRevision: ifRevision, mode: .dryRun)
        return Preview(old: old, operations: outcome.operations ?? [])
    }
}

struct Preview {
    let old: Snapshot
    let operations: [ListOperation]

    init(old: Snapshot, operations: [ListOperation]) {
        self.old = old
        self.operations = operations
    }

    init(ofNew input: Input, _ rows: RowOptions) throws {
        let list =
            switch input {
            case .whole(let list): list
            case .items(let items): WholeList(sections: [Section(id: rows.defaultSection, items: items)])
            }
        old = Snapshot()
        operations = try Snapshot(list).difference(from: old)
    }

    var summary: DifferenceSummary {
        get throws { DifferenceSummary(operations, from: old, to: try old.applying(operations)) }
    }

    func show() throws {
        let changes = ChangeLines(operations, from: old, to: try old.applying(operations), on: .standardOutput)
        var output = StandardOutput()
        for line in changes.lines { output.line(line) }
        output.flush()
    }
}
