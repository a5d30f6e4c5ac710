import DiffableJSON

package struct Action: Equatable, Sendable {
    package enum Style: String, Sendable { case `default`, primary, destructive }

    package enum Confirmation: Equatable, Sendable {
        case none
        case standard
        case text(String)
    }

    package enum Effect: Equatable, Sendable {
        case perform(arguments: ContentValue?)
        /// By these operations, which the viewer sends with its user's rights, where `"$item"` is replaced by the id.
        case operations([ContentValue])
        /// By a merge patch of the item's content, sent in the same way.
        case patch(ContentValue)
    }

    package var id: String
    package var title: String
    package var icon: Icon?
    package var style = Style.default
    package var key: Character?
    package var confirmation = Confirmation.none
    package var isEnabled = true
    package var takesSeveral = false
    /// Whether the handler's answer is shown next to the rows, and not in the status line.
    package var showsOutput = false
    package var effect = Effect.perform(arguments: nil)
}

extension Action {
    /// Nil for an action without an id. A destructive action always asks.
    init?(_ value: ContentValue) {
        guard let id = value["id"]?.text, !id.isEmpty else { return nil }
        self.init(id: id, title: value["title"]?.text.map(harmlessText) ?? harmlessText(id))
        icon = value["icon"].flatMap(Icon.init)
        style = value["style"]?.text.flatMap(Style.init) ?? .default
        key = value["key"]?.text.flatMap(singleCharacter)
        confirmation =
            switch value["confirm"] {
            case .boolean(true)?: .standard
            case .text(let text)?: .text(harmlessText(text))
            default: style == .destructive ? .standard : .none
            }
        isEnabled = value["enabled"]?.boolean ?? true
        takesSeveral = value["multiple"]?.boolean ?? false
        showsOutput = value["output"]?.text == "pane"
        effect =
            if let patch = value["patch"], patch.isObject {
                .patch(patch)
            } else if let operations = value["operations"]?.elements {
                .operations(operations)
            } else {
                .perform(arguments: value["arguments"])
            }
    }
}
