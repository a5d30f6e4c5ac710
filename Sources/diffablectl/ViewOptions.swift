import ArgumentParser
import Diffable
import DiffableClient
import DiffableJSON

/// What of a list is shown: a view, as docs/protocol.md has it.
struct ViewOptions: ParsableArguments {
    @Option(
        name: .customLong("where"),
        help: ArgumentHelp(
            "What meets a condition, such as '{\"path\":\"/done\",\"equals\":false}'.", valueName: "json"))
    var condition: String?

    @Option(help: ArgumentHelp("What has each of these words in its content.", valueName: "words"))
    var search: String?

    @Option(
        name: .customLong("section"), help: ArgumentHelp("This section. May be repeated.", valueName: "section"),
        transform: sectionID)
    var sections: [SectionID] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "In the order of this member, such as /due, id or kind; -/due is the other way round. May be repeated.",
            valueName: "path"))
    var sort: [String] = []

    @Option(
        help: ArgumentHelp(
            "Whose children are shown: all, shared (those of what is expanded) or own (those of --expanded).",
            valueName: "mode"))
    var expansion: String?

    @Option(
        help: ArgumentHelp("The children of this item, and of no others. May be repeated.", valueName: "item"),
        transform: itemID)
    var expanded: [ItemID] = []

    @Option(help: ArgumentHelp("So many rows at most.", valueName: "rows"))
    var limit: Int?

    @Option(
        help: ArgumentHelp("With --limit: the first of the rows is this item.", valueName: "item"), transform: itemID)
    var from: ItemID?

    @Option(help: ArgumentHelp("With --limit: so many rows are left out before.", valueName: "rows"))
    var offset: Int?

    func validate() throws {
        if limit == nil, from != nil || offset != nil {
            throw ValidationError("--from and --offset say where rows begin: say with --limit how many there are")
        }
        let json = try json()
        let view: Result<View, DecodingError> = Array(json.utf8).withUnsafeBytes { text in
            Result { () throws(DecodingError) in try View(json: text) }
        }
        guard case .failure(let error) = view else { return }
        // Where in the text helps nobody: it is not what was typed.
        guard case .invalid(let sentence, _) = error.reason else { throw ValidationError("\(error)") }
        throw ValidationError(error.path.isEmpty ? sentence : "\(error.path): \(sentence)")
    }

    /// How the list is followed.
    func options() throws -> ListOptions {
        let json = try json()
        return ListOptions(view: json == "{}" ? nil : try ListView(json: json))
    }

    private func json() throws -> String {
        var members: [(String, Content)] = []
        if !sections.isEmpty { members.append(("sections", .array(sections.map { .string($0.description.utf8) }))) }
        if let condition { members.append(("where", try parsed(condition))) }
        if let search { members.append(("search", .string(search.utf8))) }
        if !sort.isEmpty { members.append(("sort", .array(sort.map(sortPart)))) }
        if let mode = expansion ?? (expanded.isEmpty ? nil : "own") {
            members.append(("expansion", .string(mode.utf8)))
        }
        if !expanded.isEmpty { members.append(("expanded", .array(expanded.map { .string($0.description.utf8) }))) }
        if let limit {
            var window: [(String, Content)] = [("limit", number(limit))]
            if let from { window.append(("anchor", .string(from.description.utf8))) }
            if let offset { window.append(("offset", number(offset))) }
            members.append(("window", .object(window)))
        }
        return Content.object(members).description
    }

    private func parsed(_ condition: String) throws -> Content {
        let content: Result<Content?, JSONError> = Array(condition.utf8).withUnsafeBytes { bytes in
            Result { () throws(JSONError) in try Content(json: bytes, depthMax: JSONView.depthMax) }
        }
        switch content {
        case .success(let content): return content ?? Content(Array("null".utf8))
        case .failure(let error): throw ValidationError("--where is no JSON: \(error)")
        }
    }

    private func sortPart(_ path: String) -> Content {
        guard path.hasPrefix("-") else { return .string(path.utf8) }
        return .object([("path", .string(path.dropFirst().utf8)), ("descending", Content(Array("true".utf8)))])
    }

    private func number(_ number: Int) -> Content { Content(Array("\(number)".utf8)) }
}
