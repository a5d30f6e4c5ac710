import Diffable

// Lists and operations on one line, so that a test can show the state before, the operation and the result.
//
// `s: a+(b c) d; t:` is a section s, with an expanded item a with the children b and c, and an item d; and an empty section t.

extension Snapshot {
    init(outline: String) throws {
        try self.init(
            outline.split(separator: ";").map { section in
                let parts = section.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                let name = parts[0].split(separator: " ").joined()
                return Section(id: SectionID(stringLiteral: name), items: outlined(String(parts[1])))
            })
    }

    var outline: String { sections.map(\.outline).joined(separator: "; ") }
}

/// Parses items. An item without a plus leaves its expansion open.
func outlined(_ outline: String) -> [Item] {
    var reader = OutlineReader(rest: outline[...])
    let items = reader.readItems()
    precondition(reader.rest.isEmpty, "\(outline) ends before \(reader.rest)")
    return items
}

private struct OutlineReader {
    var rest: Substring

    mutating func readItems() -> [Item] {
        var items: [Item] = []
        while true {
            while take(" ") {}
            let name = rest.prefix { $0.isLetter || $0.isNumber }
            guard !name.isEmpty else { return items }
            rest.removeFirst(name.count)
            let isExpanded = take("+") ? true : nil
            var children: [Item] = []
            if take("(") {
                children = readItems()
                precondition(take(")"), "a parenthesis is closed")
            }
            items.append(Item(id: ItemID(stringLiteral: String(name)), isExpanded: isExpanded, children: children))
        }
    }

    private mutating func take(_ character: Character) -> Bool {
        guard rest.first == character else { return false }
        rest.removeFirst()
        return true
    }
}

extension Section {
    fileprivate var outline: String { items.isEmpty ? "\(id):" : "\(id): \(items.outline)" }
}

extension Item {
    fileprivate var outline: String {
        "\(id)" + (isExpanded == true ? "+" : "") + (children.isEmpty ? "" : "(\(children.outline))")
    }
}

extension [Item] {
    fileprivate var outline: String { map(\.outline).joined(separator: " ") }
}

// MARK: - Operations

extension [ListOperation] {
    /// The operations, one line each: `insertItems a(b) in s/p after x`. A reload or a reconfiguration has the kind after a
    /// colon and the content after an equals sign, and `none` for a removed one.
    var lines: [String] { map(\.line) }
}

extension ListOperation {
    fileprivate var line: String {
        switch self {
        case .reconfigureList(let content): "reconfigureList \(said(.some(content), "="))"
        case .insertSections(let sections, let position):
            "insertSections \(sections.map(\.outline).joined(separator: "; ")) \(position.line)"
        case .moveSection(let id, let position): "moveSection \(id) \(position.line)"
        case .deleteSections(let ids, _): "deleteSections \(joined(ids))"
        case .reloadSections(let reloads):
            "reloadSections \(joined(reloads.map { "\($0.id)\(said($0.content, "="))" }))"
        case .insertItems(let items, let position): "insertItems \(items.outline) \(position.line)"
        case .moveItem(let id, let position): "moveItem \(id) \(position.line)"
        case .deleteItems(let ids, _): "deleteItems \(joined(ids))"
        case .reloadItems(let reloads):
            "reloadItems \(joined(reloads.map { "\($0.id)\(said($0.kind, ":"))\(said($0.content, "="))" }))"
        case .reconfigureItems(let changes):
            "reconfigureItems \(joined(changes.map { "\($0.id)\(said($0.content, "="))" }))"
        case .expandItems(let ids): "expandItems \(joined(ids))"
        case .collapseItems(let ids): "collapseItems \(joined(ids))"
        case .foldItems(let ids): "foldItems \(joined(ids))"
        case .unfoldItems(let ids): "unfoldItems \(joined(ids))"
        case .patchList, .appendSections, .appendItems, .deleteAllItems, .patchItems, .replaceChildren:
            "never pushed: \(self)"
        }
    }
}

private func joined(_ parts: [some CustomStringConvertible]) -> String {
    parts.map(\.description).joined(separator: " ")
}

private func said(_ value: (some CustomStringConvertible)??, _ mark: String) -> String {
    value.map { mark + ($0?.description ?? "none") } ?? ""
}

extension SectionPosition {
    fileprivate var line: String {
        switch self {
        case .front: "at the front"
        case .before(let id): "before \(id)"
        case .after(let id): "after \(id)"
        }
    }
}

extension ItemPosition {
    fileprivate var line: String {
        switch self {
        case .front(let container): "in \(container.line) at the front"
        case .end(let container): "in \(container.line) at the end"
        case .before(let id, let container): "\(container.map { "in \($0.line) " } ?? "")before \(id)"
        case .after(let id, let container): "\(container.map { "in \($0.line) " } ?? "")after \(id)"
        }
    }
}

extension Container {
    fileprivate var line: String {
        (section?.description ?? "") + (parent.map { "/\($0)" } ?? "")
    }
}

extension Content: ExpressibleByStringLiteral {
    public init(stringLiteral: String) { self.init(Array(stringLiteral.utf8)) }
}
