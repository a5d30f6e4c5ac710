import DiffableJSON

/// What a viewer offers to do with an item, a section or a list.
package struct Action: Equatable, Sendable {
    package enum Style: String, Sendable { case `default`, primary, destructive }

    /// What is asked before it is done.
    package enum Confirmation: Equatable, Sendable {
        case none
        /// The viewer's own question.
        case standard
        case text(String)
    }

    /// How it is done.
    package enum Effect: Equatable, Sendable {
        /// The list's handler is asked.
        case perform(arguments: ContentValue?)
        /// The viewer changes the list itself, by its user's right: these operations, where `"$item"` stands for the id.
        case operations([ContentValue])
        /// The same with a merge patch for the item's content.
        case patch(ContentValue)
    }

    package var id: String
    package var title: String
    package var icon: Icon?
    package var style = Style.default
    package var key: Character?
    package var confirmation = Confirmation.none
    package var isEnabled = true
    /// Whether it can be done with several items at once.
    package var takesSeveral = false
    package var effect = Effect.perform(arguments: nil)
}

extension Action {
    /// Nil for what has no id. A destructive action always asks.
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
