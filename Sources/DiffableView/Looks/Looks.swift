import Diffable
import DiffableJSON

// A list defines its appearance in its own content, and in its sections' and items' (docs/appearance.md). All viewers use
// this code, so that it looks alike everywhere. Nothing fails: unknown members are ignored, and a member of a wrong type counts
// as missing, so the next source is used.

/// Resolves the appearance of a list, its sections and its items. The user's settings have the highest priority, followed by
/// the item, its kind, the section, and the list.
package struct Looks: Sendable {
    /// The user's appearance, in the form of a list's content.
    private let user: ContentValue?
    private let list: ContentValue?

    package init(list: Content?, user: Content? = nil) {
        self.list = list.map { ContentValue($0) }
        self.user = user.map { ContentValue($0) }
    }

    /// O(length of the list's content).
    package var listLook: ListLook {
        let cascade = Cascade([user, list])
        var look = ListLook()
        look.title = cascade.text("title")
        look.subtitle = cascade.text("subtitle")
        look.empty = cascade.value("empty") { itemContent($0, nil) }
        look.actions = cascade.actions("actions") ?? []
        return look
    }

    /// O(length of the section's content and the list's).
    package func sectionLook(_ content: Content?, _ clock: WallClock = WallClock()) -> SectionLook {
        let cascade = Cascade([user, content.map { ContentValue($0) }, list])
        func itemContent(_ value: ContentValue) -> ItemLook? { DiffableView.itemContent(value, clock) }
        var look = SectionLook()
        look.layout = cascade.value("layout", SectionLayout.init) ?? look.layout
        look.appearance = cascade.name("appearance") ?? look.appearance
        look.header = cascade.value("header", itemContent)
        look.footer = cascade.value("footer", itemContent)
        look.pinsHeader = cascade.boolean("pinHeader") ?? look.pinsHeader
        look.hasSeparators = cascade.boolean("separators") ?? look.hasSeparators
        look.columns = cascade.value("columns", TableColumn.columns)
        look.selection = cascade.name("selection") ?? look.selection
        look.canReorder = cascade.boolean("canReorder") ?? look.canReorder
        if let canInsert = cascade.value("canInsert", { $0.boolean != nil || $0.isObject ? $0 : nil }) {
            (look.canInsert, look.template) = (canInsert != .boolean(false), canInsert.isObject ? canInsert : nil)
        }
        look.hidesWhenEmpty = cascade.boolean("hidesWhenEmpty") ?? look.hidesWhenEmpty
        look.hasMore = cascade.boolean("more") ?? look.hasMore
        return look
    }

    /// The path of the text in the contents of a kind, if the kind defines one.
    func textPath(ofKind kind: Kind?) -> String? {
        let cascade = Cascade([user, list].map { $0?["kinds"]?[kind?.description ?? ""] })
        return cascade.value("text") { $0["path"]?.text.flatMap { $0.hasPrefix("/") ? $0 : nil } }
    }

    var kinds: [(name: String, user: ContentValue?, list: ContentValue?)] {
        let names = [user, list].flatMap { said -> [String] in
            if case .object(let members)? = said?["kinds"] { members.map(\.name) } else { [] }
        }
        return Set(names).sorted().map { ($0, user?["kinds"]?[$0], list?["kinds"]?[$0]) }
    }

    package func items(inSectionWith content: Content?) -> ItemLooks {
        ItemLooks(user: user, section: content.map { ContentValue($0) }, list: list)
    }
}

/// The appearance of the items of one section, prepared once for all of them.
package struct ItemLooks: Sendable {
    private let user: ContentValue?
    private let section: ContentValue?
    private let list: ContentValue?

    fileprivate init(user: ContentValue?, section: ContentValue?, list: ContentValue?) {
        (self.user, self.section, self.list) = (user, section, list)
    }

    /// O(length of the item's content).
    package func look(_ item: Item, _ clock: WallClock = WallClock()) -> ItemLook {
        let content = item.content.map { ContentValue($0) }
        let kind = item.kind?.description ?? ""
        var look = ItemLook()
        let own = Cascade(
            [
                user?["kinds"]?[kind]?.resolvingPaths(in: content), content,
                list?["kinds"]?[kind]?.resolvingPaths(in: content),
            ], clock)
        look.read(own, content)
        if look.text.isEmpty { look.text = harmlessText(item.id.description) }
        let shared = Cascade([user, section, list])
        // The list's own `actions` apply to no item.
        look.actions = own.actions("actions") ?? Cascade([section]).actions("actions") ?? []
        look.leadingActions = own.actions("leadingActions") ?? shared.actions("leadingActions") ?? []
        look.trailingActions = own.actions("trailingActions") ?? shared.actions("trailingActions") ?? []
        look.canReorder = own.boolean("canReorder") ?? shared.boolean("canReorder") ?? false
        return look
    }
}

/// A header, a footer, or the text of an empty list: a text, or members like an item's.
private func itemContent(_ value: ContentValue, _ clock: WallClock?) -> ItemLook? {
    var look = ItemLook()
    switch value {
    case .text(let text): look.text = harmlessText(text)
    case .object:
        let cascade = Cascade([value], clock)
        look.read(cascade, value)
        look.actions = cascade.actions("actions") ?? []
    default: return nil
    }
    return look
}

extension ItemLook {
    /// Reads the members that an item, its kind and the user may set.
    fileprivate mutating func read(_ cascade: Cascade, _ content: ContentValue?) {
        text =
            cascade.value("text") { value in shown(value.shownText(cascade.clock)) }
            ?? content.flatMap(Self.standardText) ?? ""
        secondaryText =
            ["secondaryText", "subtitle", "description"].lazy.compactMap { cascade.shownText($0) }.first.map {
                noted($0)
            }
        icon = cascade.value("icon", Icon.init)
        image = cascade.value("image", ImageSource.init)
        badge = cascade.value("badge") { Badge($0, cascade.clock) }
        let colour = cascade.value("tint", TintChoice.init)
        (tint, sign) = (colour?.tint, colour?.sign)
        progress = cascade.value("progress") { $0.number.map { min(max($0, 0), 1) } }
        toggle = cascade.value("toggle") {
            $0.text.map(TableColumn.canonical).flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        checkbox =
            cascade.value("checked", Checkbox.init)
            ?? toggle.map { content?.value(at: $0) == .boolean(true) ? .checked : .unchecked }
        isUrgent = cascade.boolean("urgent") ?? isUrgent
        isEnabled = cascade.boolean("enabled") ?? isEnabled
        lines = cascade.value("lines") { $0.count } ?? lines
        accessories = cascade.value("accessories") { $0.elements?.compactMap { Accessory($0, cascade.clock) } }
        hasChildren = cascade.boolean("hasChildren") ?? hasChildren
        accessibilityLabel = cascade.value("accessibilityLabel") { shown($0.shownText(cascade.clock)) }
        tooltip = cascade.shownText("tooltip").map { noted($0) }
        keywords = cascade.text("keywords")
        list = cascade.value("list", \.text)
        let parts = [badge?.changesAt] + (accessories ?? []).map(\.changesAt)
        changesAt = parts.reduce(changesAt, earlier)
    }

    private mutating func noted(_ shown: FormattedText) -> String {
        changesAt = earlier(changesAt, shown.changesAt)
        return shown.text
    }

    /// Nil for text without visible characters, so that the next source is used.
    private mutating func shown(_ shown: FormattedText?) -> String? {
        shown.flatMap { Self.shown($0.text) == nil ? nil : noted($0) }
    }

    /// The text of an item without `text`: the usual names, then the first text without another meaning, or a content that is
    /// itself text or a number.
    private static func standardText(_ content: ContentValue) -> String? {
        switch content {
        case .text(let text): return shown(text)
        case .number(let text): return text
        case .object(let members): return standardMember(content, members)?.text
        default: return nil
        }
    }

    private static func standardMember(
        _ content: ContentValue, _ members: [ContentValue.Member]
    ) -> (name: String, text: String)? {
        for name in ["title", "label", "name"] {
            if let text = content[name]?.text.flatMap(shown) { return (name, text) }
        }
        return members.lazy.filter { !meanings.contains($0.name) }
            .compactMap { member in member.value.text.flatMap(shown).map { (member.name, $0) } }.first
    }

    /// The JSON pointer to the text that an item without a path of its kind shows; empty for the content itself.
    static func textPath(in content: ContentValue?) -> String {
        switch content {
        case .text?, .number?: return ""
        case .object(let members)? where content?["text"]?.text.flatMap(shown) == nil:
            return content.flatMap { standardMember($0, members) }.map { TableColumn.pointer(naming: $0.name) }
                ?? "/text"
        default: return "/text"
        }
    }

    /// Nil for text without visible characters, so that the next source is used.
    private static func shown(_ text: String) -> String? {
        let text = harmlessText(text)
        return text.allSatisfy(\.isWhitespace) ? nil : text
    }

    /// The members with a meaning other than the text.
    static let meanings: Set<String> = [
        "secondaryText", "subtitle", "description", "icon", "image", "badge", "tint", "accessibilityLabel", "tooltip",
        "keywords",
    ]
}
