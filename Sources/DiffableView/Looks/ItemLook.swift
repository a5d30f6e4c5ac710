import DiffableJSON

/// The appearance of one item in any viewer: the values of its content, with the defaults of its kind, section and list. All text
/// is harmless: without control and bidirectional characters.
package struct ItemLook: Equatable, Sendable {
    package var text = ""
    package var secondaryText: String?
    package var icon: Icon?
    package var image: ImageSource?
    package var badge: Badge?
    package var tint: Tint?
    /// The sign of a tint that depends on a value.
    package var sign: TintSign?
    /// The progress, from 0 to 1.
    package var progress: Double?
    package var checkbox: Checkbox?
    /// The JSON pointer to the Boolean that Enter, Space and a click on the box switch.
    package var toggle: String?
    /// The name of the list that the item opens.
    package var list: String?
    package var isUrgent = false
    package var isEnabled = true
    /// The limit of the text's lines; 0: as many as it needs.
    package var lines = 1
    /// Nil if none were named. Then an outline's disclosure is shown for items with children.
    package var accessories: [Accessory]?
    /// Whether it can be expanded without loaded children: they are inserted on request.
    package var hasChildren = false
    package var actions: [Action] = []
    package var leadingActions: [Action] = []
    package var trailingActions: [Action] = []
    package var canReorder = false
    package var accessibilityLabel: String?
    package var tooltip: String?
    package var keywords: String?
    /// When one of the texts will be another one, in milliseconds since 1970; nil: never.
    package var changesAt: Int?

    package init() {}

    /// The appearance for screen readers: an `accessibilityLabel` replaces the texts and signs that it describes. Other state
    /// stays, such as whether the item is checked.
    package var spoken: ItemLook {
        guard let accessibilityLabel else { return self }
        var look = self
        look.text = accessibilityLabel
        (look.secondaryText, look.icon, look.image) = (nil, nil, nil)
        return look
    }
}

package enum Icon: Equatable, Sendable {
    /// One grapheme cluster.
    case character(Character)
    /// A name of the freedesktop icon naming specification.
    case named(String)
}

package enum ImageSource: Equatable, Sendable {
    case data(String)
    /// An absolute path.
    case file(String)
}

package struct Badge: Equatable, Sendable {
    package var text: String
    package var tint: Tint?
    package var sign: TintSign?
    /// The items that a header's badge counts; nil for a badge with a text of its own.
    package var count: Count?
    package var changesAt: Int?

    package enum Count: Equatable, Sendable {
        case all
        /// The items whose value at a JSON pointer equals this one. If inverted, the items whose value differs or is
        /// missing.
        case having(path: String, equals: ContentValue, isInverted: Bool)
    }
}

package enum Checkbox: String, Equatable, Sendable { case checked, unchecked, mixed }

/// A part at the end of a row, like UIKit's `UICellAccessory`.
package struct Accessory: Equatable, Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        case disclosureIndicator, outlineDisclosure, checkmark, delete, insert, reorder, multiselect, detail, label,
            popUpMenu, custom
    }

    package enum Displayed: String, Sendable { case always, editing, notEditing }

    package var kind: Kind
    package var text: String?
    package var tint: Tint?
    package var displayed = Displayed.always
    package var action: String?
    package var changesAt: Int?
}
