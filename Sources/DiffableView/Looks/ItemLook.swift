/// How one item is drawn, whatever draws it: what its content says, with the defaults of its kind, section and list.
///
/// All text is harmless: without control and bidirectional characters.
package struct ItemLook: Equatable, Sendable {
    package var text = ""
    package var secondaryText: String?
    package var icon: Icon?
    package var image: ImageSource?
    package var badge: Badge?
    package var tint: Tint?
    /// From 0 to 1.
    package var progress: Double?
    package var checkbox: Checkbox?
    package var isUrgent = false
    package var isEnabled = true
    /// How many lines the text may take; 0: as many as it needs.
    package var lines = 1
    /// Nil: none were named, so an outline's disclosure where there are children.
    package var accessories: [Accessory]?
    /// It can be expanded though no children are there: they come when somebody asks.
    package var hasChildren = false
    package var actions: [Action] = []
    package var leadingActions: [Action] = []
    package var trailingActions: [Action] = []
    package var canReorder = false
    package var accessibilityLabel: String?
    package var tooltip: String?
    package var keywords: String?

    package init() {}

    /// As it is told to somebody who does not see it: an `accessibilityLabel` stands for the texts and the signs that it says
    /// otherwise. What it does not say, such as whether something is checked, stays.
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
    /// A `data:` URL of an image.
    case data(String)
    /// An absolute path.
    case file(String)
}

package struct Badge: Equatable, Sendable {
    package var text: String
    package var tint: Tint?
}

package enum Checkbox: String, Equatable, Sendable { case checked, unchecked, mixed }

/// What stands at the end of a row, UIKit's `UICellAccessory`.
package struct Accessory: Equatable, Sendable {
    package enum Sort: String, CaseIterable, Sendable {
        case disclosureIndicator, outlineDisclosure, checkmark, delete, insert, reorder, multiselect, detail, label,
            popUpMenu, custom
    }

    package enum Displayed: String, Sendable { case always, editing, notEditing }

    package var sort: Sort
    package var text: String?
    package var tint: Tint?
    package var displayed = Displayed.always
    /// The id of the action that it carries out.
    package var action: String?
}
