import Diffable
import DiffableClient
import DiffableJSON
import DiffableProtocol

/// The lists as rows of the viewer's home screen, by title. A row's id is the name of its list.
enum HomeRows {
    static func snapshot(of lists: some Collection<ListSummary>) throws -> Snapshot {
        let rows = lists.map { (title: title(of: $0), list: $0) }
            .sorted {
                ($0.title.lowercased(), $0.list.list.description) < ($1.title.lowercased(), $1.list.list.description)
            }
        let items = try rows.map { row in
            try Item(id: ItemID(row.list.list.description), content: content(of: row.list, title: row.title))
        }
        return try Snapshot([Section(id: "lists", items: items)], content: Content(json: look))
    }

    private static let look = #"""
        {"title":"Lists","layout":"table","columns":[{"path":"/text","title":"List"},{"path":"/items","title":"Items",
        "align":"right"},{"path":"/handler","title":"Handler"},{"path":"/state","title":"State"},{"path":"/name","title":"Name"}],
        "empty":{"text":"No lists","secondaryText":"diffablectl create NAME makes one"}}
        """#

    private static func title(of list: ListSummary) -> String {
        list.content.flatMap { ContentValue($0)["title"]?.text } ?? list.list.description
    }

    private static func content(of list: ListSummary, title: String) throws -> Content {
        var members: [ContentValue.Member] = [
            .init("text", .text(title)), .init("items", .number("\(list.items)")),
            .init("handler", .text(handler(of: list))), .init("state", .text(state(of: list))),
        ]
        if title != list.list.description { members.append(.init("name", .text(list.list.description))) }
        if isLate(list) { members.append(.init("urgent", .boolean(true))) }
        if list.permissions?.contains(.see) == false { members.append(.init("enabled", .boolean(false))) }
        return try Content(json: ContentValue.object(members).json)
    }

    private static func handler(of list: ListSummary) -> String {
        let words: [(HandlerRequestKind, String)] = [
            (.perform, "actions"), (.propose, "changes"), (.expand, "children"),
        ]
        return words.filter { list.handles.contains($0.0) }.map(\.1).joined(separator: ", ")
    }

    private static func isLate(_ list: ListSummary) -> Bool {
        if case .notLive = list.liveness { return true }
        return false
    }

    private static func state(of list: ListSummary) -> String {
        var words: [String] = []
        if list.permissions?.contains(.see) == false { words.append("not readable") }
        if let source = list.mirrorSource { words.append("mirror of \(source)") }
        if list.isShared { words.append("shared") }
        switch list.liveness {
        case .live: words.append("live")
        case .notLive(let since):
            words.append("not live" + (since.map { " since \(localTime(milliseconds: $0))" } ?? ""))
        case nil: if list.durability == .volatile { words.append("volatile") }
        }
        return words.joined(separator: ", ")
    }
}
