/// The colour that a cell's cluster is drawn in, by its meaning. What it looks like is the terminal's to say, in light and
/// in dark.
package enum Ink: Equatable, Sendable {
    case text
    /// Of what matters less: secondary text, counts.
    case secondary
    /// Of what should nearly not be seen: separators, frames, chevrons.
    case tertiary
    /// Of what can be seen on a ground that is a tint.
    case onTint
    case tint(Tint)
}

/// The colour behind a cell, by its meaning.
package enum Ground: Equatable, Sendable {
    /// The terminal's own.
    case base
    /// The page on which groups lie.
    case page
    /// A group of rows that lies on the page.
    case group
    /// A header, which covers the rows that it is pinned over.
    case header
    case sidebar
    /// The focused row, of a viewer that has the keyboard, and of one that has not.
    case selected, selectedUnfocused
    case marked
    /// What was changed a moment ago.
    case changed
    /// What asks for attention: a key that was refused.
    case flashing
    /// Tabs, the status line, banners.
    case bar
    case badge
    /// A menu, a question, a help page, which lie over the rows.
    case overlay
    case tint(Tint)
}
