import DiffableJSON

import Diffable

package struct ViewFilter: Equatable, Sendable {
    package var sections: [SectionID] = []
    /// A condition as JSON, and as the user typed it.
    package var condition: String?
    package var conditionWords = ""
    package var search = ""
    /// The places to search for the words of `search`; nil: every string of the content.
    var searchedPlaces: RowSearchPaths?
    /// Sort keys as JSON, the most significant first, and as the user typed them.
    package var sort: [String] = []
    package var sortWords = ""

    package init() {}

    /// Whether both show the same, however they were typed.
    package static func == (left: ViewFilter, right: ViewFilter) -> Bool {
        left.sections == right.sections && left.condition == right.condition && left.search == right.search
            && left.sort == right.sort && (left.search.isEmpty || left.searchedPlaces == right.searchedPlaces)
    }

    var words: [String] {
        var words: [String] = []
        if !sections.isEmpty { words.append("in \(sections.map(\.description).joined(separator: ", "))") }
        if !search.isEmpty { words.append("/\(search)") }
        if condition != nil { words.append("where \(conditionWords)") }
        if !sort.isEmpty { words.append("sort by \(sortWords)") }
        return words
    }

    /// Whether items are selected because they match, so that they may be below a collapsed item.
    var opensAll: Bool { condition != nil || !search.isEmpty }

    var leavesOut: Bool { !sections.isEmpty || condition != nil || !search.isEmpty }
}

struct ViewQuery: Equatable, Sendable {
    enum Folding: Equatable, Sendable {
        /// All rows are loaded, and the viewer folds them.
        case here
        /// The daemon folds: the expansion of these items differs from the list's.
        case there(toggled: [ItemID])
    }

    static let whole = Window(start: .offset(0), limit: Pane.wholeRowsMax)

    var filter = ViewFilter()
    var folding = Folding.here
    var window: Window

    /// The view in the form of docs/protocol-views.md.
    var json: String {
        var members: [ContentValue.Member] = []
        if case .there(let toggled) = folding {
            members.append(.init("expansion", .text("own")))
            members.append(.init("toggled", .array(toggled.map { .text($0.description) })))
            members.append(.init("folded", .boolean(true)))
        }
        var window: [ContentValue.Member] = [.init("limit", .number("\(self.window.limit)"))]
        switch self.window.start {
        case .offset(let offset): window.append(.init("offset", .number("\(offset)")))
        case .anchor(let id): window.append(.init("anchor", .text(id.description)))
        }
        // An empty section may be visible (`Composer.isShownEmpty`).
        if self.window == Self.whole, !filter.leavesOut { window.append(.init("allSections", .boolean(true))) }
        members.append(.init("window", .object(window)))
        return filter.json(with: members)
    }
}

extension ViewFilter {
    package var json: String { json(with: []) }

    fileprivate func json(with others: [ContentValue.Member]) -> String {
        var members: [(name: String, json: String)] = []
        if !sections.isEmpty {
            members.append(("sections", ContentValue.array(sections.map { .text($0.description) }).json))
        }
        // Checked JSON is inserted as it is.
        if let condition { members.append(("where", condition)) }
        if !search.isEmpty {
            members.append(("search", (searchedPlaces?.search(search) ?? .text(search)).json))
        }
        if !sort.isEmpty { members.append(("sort", "[\(sort.joined(separator: ","))]")) }
        members += others.map { ($0.name, $0.value.json) }
        return "{\(members.map { "\"\($0.name)\":\($0.json)" }.joined(separator: ","))}"
    }
}
