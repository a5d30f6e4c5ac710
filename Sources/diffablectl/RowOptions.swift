import ArgumentParser
import Diffable
import DiffableClient

/// How a file is read that says what a list is to be.
struct RowOptions: ParsableArguments {
    @Option(help: "How to read it; by default by the file's extension, else by how it begins.")
    var from: InputFormat?
    @Option(help: ArgumentHelp("What identifies a row.", valueName: "field")) var id: FieldPath?
    @Option(help: ArgumentHelp("Which section a row belongs to.", valueName: "field")) var section: FieldPath?
    @Option(help: ArgumentHelp("The id of the row that a row is under.", valueName: "field")) var parent: FieldPath?
    @Option(help: ArgumentHelp("What a row shows; the rest of it is left out.", valueName: "field")) var text:
        FieldPath?
    @Option(help: ArgumentHelp("The names of a table's columns, if it has no header line.", valueName: "a,b,c"))
    var columns: String?
    @Option(
        help: ArgumentHelp(
            "The items of this section only; it is made if there is none.", valueName: "section"),
        transform: sectionID)
    var into: SectionID?

    func validate() throws {
        if into != nil, section != nil {
            throw ValidationError("--into names one section for all rows, --section a field that does; use one of them")
        }
        if columns != nil, from != nil, from != .csv, from != .tsv {
            throw ValidationError("--columns is for --from csv and tsv")
        }
    }

    /// Reads a file; `nil` and `-` are standard input.
    func read(_ file: String?) throws(InputError) -> Input {
        let bytes = try inputBytes(of: file)
        let format = from ?? .guess(fileName: file, input: bytes, isRow: JSONRows.isRow)
        let reader = InputReader(
            format: format, fields: .init(id: id, section: section, parent: parent, text: text),
            columns: columns?.split(separator: ",", omittingEmptySubsequences: false).map(String.init),
            extent: into == nil ? .wholeList : .oneSection)
        do { return try reader.read(bytes) } catch {
            let name = file.flatMap { $0 == "-" ? nil : $0 } ?? "standard input"
            throw InputError("\(name), read as \(format.rawValue): \(error)")
        }
    }

    /// Where rows go that do not say it.
    var defaultSection: SectionID { into ?? Arrangement.defaultSection }
}

extension Connection {
    /// Makes the list what was read.
    func apply(
        _ input: Input, to list: ListName, _ rows: RowOptions, delivery: Delivery = .difference,
        ifRevision: Int? = nil, requestKey: RequestKey? = nil, mode: Mode = .commit
    ) async throws -> Outcome {
        switch input {
        case .sections(let sections):
            try await apply(
                list, sections, delivery: delivery, ifRevision: ifRevision, requestKey: requestKey, mode: mode)
        case .items(let items):
            try await apply(
                list, items: items, inSection: rows.defaultSection, delivery: delivery, ifRevision: ifRevision,
                requestKey: requestKey, mode: mode)
        }
    }

    /// What that would change.
    func preview(
        _ input: Input, of list: ListName, _ rows: RowOptions, ifRevision: Int? = nil
    ) async throws -> Preview {
        let old = try await state(of: list).snapshot
        let outcome = try await apply(input, to: list, rows, ifRevision: ifRevision, mode: .dryRun)
        return Preview(old: old, operations: outcome.operations ?? [])
    }
}

/// What a change would do.
struct Preview {
    let old: Snapshot
    let operations: [Operation]

    init(old: Snapshot, operations: [Operation]) {
        self.old = old
        self.operations = operations
    }

    /// Of a list that is to be made.
    init(ofNew input: Input, _ rows: RowOptions) throws {
        let sections =
            switch input {
            case .sections(let sections): sections
            case .items(let items): [Section(id: rows.defaultSection, items: items)]
            }
        old = Snapshot()
        operations = try Snapshot(sections).difference(from: old)
    }

    /// Prints it, a line for each change.
    func show() throws {
        let changes = ChangeLines(operations, from: old, to: try old.applying(operations), on: .standardOutput)
        var output = StandardOutput()
        for line in changes.lines { output.line(line) }
        output.flush()
    }
}
