import Diffable
import DiffableJSON

// A list says how it is drawn in its content, its sections' and its items' (docs/appearance.md). Whoever draws it asks here, so
// that it looks like itself everywhere. Nothing fails: what is unknown is passed over, and a member of a wrong type is as
// if it were left out, so the next one that may say it is asked.

/// How a list, its sections and its items are drawn.
///
/// Of several that say the same, the viewer's user comes first, then the item, its kind, the section, and the list.
package struct Looks: Sendable {
    /// What the viewer's user says, in the form of a list's content.
    private let user: ContentValue?
    private let list: ContentValue?

    package init(list: Content?, user: Content? = nil) {
        self.list = list.map { ContentValue($0) }
        self.user = user.map { ContentValue($0) }
    }

    /// O(length of the list's content).
    package var listLook: ListLook {
        let layers = Layers([user, list])
        var look = ListLook()
        look.title = layers.text("title")
        look.subtitle = layers.text("subtitle")
        look.empty = layers.value("empty", itemContent)
        look.actions = layers.actions("actions") ?? []
        return look
    }

    /// O(length of the section's content and the list's).
    package func sectionLook(_ content: Content?) -> SectionLook {
        let layers = Layers([user, content.map { ContentValue($0) }, list])
        var look = SectionLook()
        look.layout = layers.value("layout", SectionLayout.init) ?? look.layout
        look.appearance = layers.name("appearance") ?? look.appearance
        look.header = layers.value("header", itemContent)
        look.footer = layers.value("footer", itemContent)
        look.pinsHeader = layers.boolean("pinHeader") ?? look.pinsHeader
        look.hasSeparators = layers.boolean("separators") ?? look.hasSeparators
        look.columns = layers.value("columns", TableColumn.columns)
        look.selection = layers.name("selection") ?? look.selection
        look.canReorder = layers.boolean("canReorder") ?? look.canReorder
        look.canInsert = layers.boolean("canInsert") ?? look.canInsert
        look.hasMore = layers.boolean("more") ?? look.hasMore
        return look
    }

    /// Where in their content the items of a kind have their text, if the kind says so.
    func textPath(ofKind kind: Kind?) -> String? {
        let layers = Layers([user, list].map { $0?["kinds"]?[kind?.description ?? ""] })
        return layers.value("text") { $0["path"]?.text.flatMap { $0.hasPrefix("/") ? $0 : nil } }
    }

    /// The appearance of each kind of items, by the viewer's user and by the list.
    var kinds: [(name: String, user: ContentValue?, list: ContentValue?)] {
        let names = [user, list].flatMap { said -> [String] in
            if case .object(let members)? = said?["kinds"] { members.map(\.name) } else { [] }
        }
        return Set(names).sorted().map { ($0, user?["kinds"]?[$0], list?["kinds"]?[$0]) }
    }

    /// How the items of a section are drawn.
    package func items(inSectionWith content: Content?) -> ItemLooks {
        ItemLooks(user: user, section: content.map { ContentValue($0) }, list: list)
    }
}

/// How the items of one section are drawn: made once for all of them.
package struct ItemLooks: Sendable {
    private let user: ContentValue?
    private let section: ContentValue?
    private let list: ContentValue?

    fileprivate init(user: ContentValue?, section: ContentValue?, list: ContentValue?) {
        (self.user, self.section, self.list) = (user, section, list)
    }

    /// O(length of the item's content).
    package func look(_ item: Item) -> ItemLook {
        let content = item.content.map { ContentValue($0) }
        let kind = item.kind?.description ?? ""
        var look = ItemLook()
        let own = Layers(
            [user?["kinds"]?[kind]?.following(content), content, list?["kinds"]?[kind]?.following(content)])
        look.read(own, content)
        if look.text.isEmpty { look.text = harmlessText(item.id.description) }
        let shared = Layers([user, section, list])
        // The list's own `actions` are done with no item.
        look.actions = own.actions("actions") ?? Layers([section]).actions("actions") ?? []
        look.leadingActions = own.actions("leadingActions") ?? shared.actions("leadingActions") ?? []
        look.trailingActions = own.actions("trailingActions") ?? shared.actions("trailingActions") ?? []
        look.canReorder = own.boolean("canReorder") ?? shared.boolean("canReorder") ?? false
        return look
    }
}

/// A header, a footer, or what is shown of an empty list: a text, or members like an item's.
private func itemContent(_ value: ContentValue) -> ItemLook? {
    var look = ItemLook()
    switch value {
    case .text(let text): look.text = harmlessText(text)
    case .object:
        let layers = Layers([value])
        look.read(layers, value)
        look.actions = layers.actions("actions") ?? []
    default: return nil
    }
    return look
}

extension ItemLook {
    /// What the members say that an item, its kind and the viewer's user may have.
    fileprivate mutating func read(_ layers: Layers, _ content: ContentValue?) {
        text = layers.value("text") { $0.text.flatMap(Self.shown) } ?? content.flatMap(Self.standardText) ?? ""
        secondaryText = layers.text("secondaryText") ?? layers.text("subtitle") ?? layers.text("description")
        icon = layers.value("icon", Icon.init)
        image = layers.value("image", ImageSource.init)
        badge = layers.value("badge", Badge.init)
        tint = layers.value("tint", Tint.init)
        progress = layers.value("progress") { $0.number.map { min(max($0, 0), 1) } }
        checkbox = layers.value("checked", Checkbox.init)
        isUrgent = layers.boolean("urgent") ?? isUrgent
        isEnabled = layers.boolean("enabled") ?? isEnabled
        lines = layers.value("lines") { $0.count } ?? lines
        accessories = layers.value("accessories") { $0.elements?.compactMap(Accessory.init) }
        hasChildren = layers.boolean("hasChildren") ?? hasChildren
        accessibilityLabel = layers.value("accessibilityLabel") { $0.text.flatMap(Self.shown) }
        tooltip = layers.text("tooltip")
        keywords = layers.text("keywords")
    }

    /// What stands for an item that has no `text`: the usual names, then the first text that means nothing else, or a
    /// content that is text or a number itself.
    private static func standardText(_ content: ContentValue) -> String? {
        switch content {
        case .text(let text): return shown(text)
        case .number(let text): return text
        case .object(let members):
            for name in ["title", "label", "name"] {
                if let text = content[name]?.text.flatMap(shown) { return text }
            }
            return members.lazy.filter { !meanings.contains($0.name) }.compactMap { $0.value.text.flatMap(shown) }.first
        default: return nil
        }
    }

    /// Nil for what shows nothing: then the next one is asked.
    private static func shown(_ text: String) -> String? {
        let text = harmlessText(text)
        return text.allSatisfy(\.isWhitespace) ? nil : text
    }

    /// The members that say something else than the text.
    static let meanings: Set<String> = [
        "secondaryText", "subtitle", "description", "icon", "image", "badge", "tint", "accessibilityLabel", "tooltip",
        "keywords",
    ]
}
