import ArgumentParser
import Diffable
import DiffableClient

struct Apply: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make a list what a file says; the daemon finds the difference.",
        discussion: """
            Rows are identified by --id; without it by the first of their members id, key and name, and in a table that has \
            none of these by the first column. A row's content is the row itself, or with --text only {"text": FIELD}. \
            In lines the id is the text, in a tree the path to it (Fruit/Apple). Rows without a section go into \
            \(Arrangement.defaultSection).

              dpkg-query -W -f '${binary:Package}\\t${Section}\\n' |
                diffablectl apply packages --create --from tsv \\
                  --columns package,section --section .section
              find /usr/share/doc | sed 's|[^/]*/|  |g' |
                diffablectl apply doc --create --from tree
              diffablectl apply stations stations.json --id .code --text .name

            What an item does not say about its expansion stays as it is. Nothing is printed when nothing changed.
            """)

    @Argument(help: "The list.", transform: listName) var list: ListName
    @Argument(help: "What to read; - or nothing is standard input.") var file: String?

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
            "Replace the items of this section only; it is made if there is none.", valueName: "section"),
        transform: sectionID)
    var into: SectionID?

    @Flag(help: "Make the list if there is none.") var create = false
    @Flag(help: "Show the difference and change nothing.") var dryRun = false
    @Flag(help: "Let subscribers draw everything anew, without a difference.") var reload = false
    @OptionGroup var options: ChangeOptions

    func validate() throws {
        if into != nil, section != nil {
            throw ValidationError("--into names one section for all rows, --section a field that does; use one of them")
        }
        if columns != nil, from != nil, from != .csv, from != .tsv {
            throw ValidationError("--columns is for --from csv and tsv")
        }
    }

    func run() async throws {
        let input = try read()
        try await options.daemon.withConnection { connection in
            if dryRun {
                try await preview(input, connection)
            } else {
                if create { _ = try await connection.createList(list, ifPresent: .isKept) }
                options.report(try await send(input, .commit, connection))
            }
        }
    }
}

// MARK: - Reading and sending

extension Apply {
    private func read() throws(InputError) -> Input {
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

    private func send(_ input: Input, _ mode: Connection.Mode, _ connection: Connection) async throws -> Outcome {
        let progress = ProgressLine("applying", "items")
        progress.show(input.count)
        defer { progress.end() }
        let delivery: Connection.Delivery = reload ? .reload : .difference
        switch input {
        case .sections(let sections):
            return try await connection.apply(
                list, sections, delivery: delivery, ifRevision: options.ifRevision, mode: mode)
        case .items(let items):
            return try await connection.apply(
                list, items: items, inSection: into ?? Arrangement.defaultSection, delivery: delivery,
                ifRevision: options.ifRevision, mode: mode)
        }
    }

    private func preview(_ input: Input, _ connection: Connection) async throws {
        let (old, operations) = try await difference(input, connection)
        let new = try old.applying(operations)
        let changes = ChangeLines(operations, from: old, to: new, on: .standardOutput)
        var output = StandardOutput()
        for line in changes.lines { output.line(line) }
        output.flush()
    }

    private func difference(_ input: Input, _ connection: Connection) async throws -> (Snapshot, [Operation]) {
        do {
            let old = try await connection.state(of: list).snapshot
            return (old, try await send(input, .dryRun, connection).operations ?? [])
        } catch ClientError.refused(let refusal) where create && refusal.name == "noSuchList" {
            let new = try Snapshot(input.sections(of: into))
            return (Snapshot(), new.difference(from: Snapshot()))
        }
    }
}

extension Input {
    fileprivate func sections(of section: SectionID?) -> [Section] {
        switch self {
        case .sections(let sections): sections
        case .items(let items): [Section(id: section ?? Arrangement.defaultSection, items: items)]
        }
    }
}
