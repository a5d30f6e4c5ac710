import DiffableJSON

import Diffable

/// Which items of a list are seen, and in which order.
package struct ViewFilter: Equatable, Sendable {
    package var sections: [SectionID] = []
    /// A condition as JSON, and as it was typed.
    package var condition: String?
    package var conditionWords = ""
    package var search = ""
    /// Where the words of `search` are looked for; nil: in every string of the content.
    var searchedPlaces: SearchedPlaces?
    /// Sort keys as JSON, the first one first, and as they were typed.
    package var sort: [String] = []
    package var sortWords = ""

    package init() {}

    /// Whether both show the same, in whatever words it was asked for.
    package static func == (left: ViewFilter, right: ViewFilter) -> Bool {
        left.sections == right.sections && left.condition == right.condition && left.search == right.search
            && left.sort == right.sort && (left.search.isEmpty || left.searchedPlaces == right.searchedPlaces)
    }

    /// What is shown, for whoever looks at it.
    var words: [String] {
        var words: [String] = []
        if !sections.isEmpty { words.append("in \(sections.map(\.description).joined(separator: ", "))") }
        if !search.isEmpty { words.append("/\(search)") }
        if condition != nil { words.append("where \(conditionWords)") }
        if !sort.isEmpty { words.append("sort by \(sortWords)") }
        return words
    }

    /// Whether items are shown because something matches, which may be under a collapsed item.
    var opensAll: Bool { condition != nil || !search.isEmpty }

    /// Whether there may be items that are not seen.
    var leavesOut: Bool { !sections.isEmpty || condition != nil || !search.isEmpty }
}

/// What of a list is asked for: what matches, what is folded, and which rows.
struct ViewQuery: Equatable, Sendable {
    enum Folding: Equatable, Sendable {
        /// All rows come, and the viewer folds them.
        case here
        /// The daemon folds: these are the other way round than the list has them.
        case there(toggled: [ItemID])
    }

    var filter = ViewFilter()
    var folding = Folding.here
    var window: Window

    /// As docs/protocol.md has it.
    var json: String {
        var members: [ContentValue.Member] = []
        if case .there(let toggled) = folding {
            members.append(.init("expansion", .text("own")))
            members.append(.init("toggled", .array(toggled.map { .text($0.description) })))
        }
        var window: [ContentValue.Member] = [.init("limit", .number("\(self.window.limit)"))]
        switch self.window.start {
        case .offset(let offset): window.append(.init("offset", .number("\(offset)")))
        case .anchor(let id): window.append(.init("anchor", .text(id.description)))
        }
        members.append(.init("window", .object(window)))
        return filter.json(with: members)
    }
}

extension ViewFilter {
    /// A view with nothing but this, as docs/protocol.md has it.
    package var json: String { json(with: []) }

    fileprivate func json(with others: [ContentValue.Member]) -> String {
        var members: [(name: String, json: String)] = []
        if !sections.isEmpty {
            members.append(("sections", ContentValue.array(sections.map { .text($0.description) }).json))
        }
        // What was checked as JSON goes in as it is.
        if let condition { members.append(("where", condition)) }
        if !search.isEmpty {
            members.append(("search", (searchedPlaces?.search(search) ?? .text(search)).json))
        }
        if !sort.isEmpty { members.append(("sort", "[\(sort.joined(separator: ","))]")) }
        members += others.map { ($0.name, $0.value.json) }
        return "{\(members.map { "\"\($0.name)\":\($0.json)" }.joined(separator: ","))}"
    }
}
