import Diffable
import DiffableJSON

// A search finds the texts that rows show, and `keywords`. The daemon searches, so the viewer names the paths of these texts
// (docs/protocol-views.md, "Searching some paths").

struct RowSearchPaths: Equatable, Sendable {
    /// The members `in` and `kinds` of a view's `search`.
    private let members: [ContentValue.Member]

    func search(_ words: String) -> ContentValue { .object([.init("words", .text(words))] + members) }

    /// Nil if the daemon could not follow one of the paths, or if they are too many for it. `showsTexts` says whether there are
    /// rows other than a table's.
    init?(_ looks: Looks, columns: [String], showsTexts: Bool) {
        func places(_ before: ContentValue?, _ behind: ContentValue?) -> ContentValue {
            var places = SearchPathCollector(before: before, behind: behind)
            for path in columns { places.add(path) }
            // A column without a path shows the text.
            if showsTexts || columns.contains("") { places.addTexts() }
            places.addSigns()
            return .array(places.all)
        }
        let kinds = looks.kinds.map { kind in
            ContentValue.object([
                .init("kind", .text(kind.name)), .init("in", places(kind.user, kind.list)),
            ])
        }
        members = [.init("in", places(nil, nil))] + (kinds.isEmpty ? [] : [.init("kinds", .array(kinds))])
        let json = ContentValue.object([.init("search", search("x"))]).json
        guard (try? Array(json.utf8).withUnsafeBytes({ try View(json: $0) })) != nil else { return nil }
    }
}

private struct SearchPathCollector {
    /// The user's settings for the kind, which precede the item's content, and the list's, which follow it.
    let before: ContentValue?
    let behind: ContentValue?
    private(set) var all: [ContentValue] = []

    init(before: ContentValue?, behind: ContentValue?) {
        self.before = before
        self.behind = behind
    }

    mutating func add(_ path: String) {
        if !all.contains(.text(path)) { all.append(.text(path)) }
    }

    /// Adds the text and the secondary text, each where `ItemLook` finds it.
    mutating func addTexts() {
        addFirst(
            of: ["text"],
            otherwise: ["", "/title", "/label", "/name"].map { .text($0) } + [
                .object([.init("firstExcept", .array(ItemLook.meanings.sorted().map { .text($0) }))]), .text("id"),
            ])
        // A content that is a number.
        add("")
        addFirst(of: ["secondaryText", "subtitle", "description"])
    }

    mutating func addSigns() {
        for name in ["badge", "badge/text", "accessibilityLabel", "tooltip", "keywords"] { add("/" + name) }
        for index in 0..<Self.accessoriesMax { add("/accessories/\(index)/text") }
        for kind in [before, behind] {
            for name in ["badge", "accessories", "accessibilityLabel", "tooltip", "keywords"] {
                for path in kind?[name]?.paths ?? [] { add(path) }
            }
        }
    }

    private static let accessoriesMax = 4

    private mutating func addFirst(of names: [String], otherwise: [ContentValue] = []) {
        var alternatives: [ContentValue] = []
        var isSame = false
        func append(_ value: ContentValue?) {
            guard let value, !isSame else { return }
            // A search does not know how a value is written.
            if value.isOfValue { return }
            if let path = value["path"]?.text {
                alternatives.append(.text(path))
                // It may be a number.
                add(path)
            } else {
                isSame = value.text != nil
            }
        }
        for name in names {
            append(before?[name])
            if !isSame { alternatives.append(.text("/" + name)) }
            append(behind?[name])
        }
        if !isSame { alternatives += otherwise }
        if !alternatives.isEmpty { all.append(.array(alternatives)) }
    }
}

extension ContentValue {
    fileprivate var paths: [String] {
        switch self {
        case .object(let members):
            if isOfValue { return [] }
            if members.count == 1, members[0].name == "path", let path = members[0].value.text { return [path] }
            return members.filter { $0.name != "tint" }.flatMap(\.value.paths)
        case .array(let elements): return elements.flatMap(\.paths)
        default: return []
        }
    }
}

extension Composer {
    /// The places where this list shows text; nil if they are unknown.
    var searchedPlaces: RowSearchPaths? {
        let looks = document.looks
        let plans = (0..<sectionCount).map(plan)
        let usual = looks.sectionLook(nil)
        let isWhole = document.rowCount == snapshot.numberOfItems
        // Sections that are not loaded may have columns of their own, too.
        if !isWhole, plans.contains(where: { $0.kind != usual.layout.kind || $0.look.columns != usual.columns }) {
            return nil
        }
        let tables = plans.filter { $0.kind == .table }
        return RowSearchPaths(
            looks, columns: tables.flatMap { tableColumns($0).searchedPaths }, showsTexts: tables.count < plans.count)
    }
}
