/// The colour of a cell's cluster, by its meaning. The terminal chooses the actual colour, in light and in dark mode.
package enum ForegroundRole: Equatable, Sendable {
    case text
    /// Less important text: secondary text, counts.
    case secondary
    /// Barely visible signs: chevrons, handles.
    case tertiary
    /// Borders, separators and tracks.
    case line
    /// Text that is legible on a tinted ground.
    case onTint
    case tint(Tint)
}

/// The background colour of a cell, by its meaning.
package enum BackgroundRole: Equatable, Sendable {
    /// The terminal's own background.
    case base
    /// The page, on which groups are.
    case page
    case group
    /// A header, which covers the rows that it is pinned over.
    case header
    case sidebar
    /// The focused row, with and without keyboard focus.
    case selected, selectedUnfocused
    case marked
    /// A change by others, which fades.
    case changed, changedFading, changedFaint
    /// Asks for attention: a key that was refused.
    case flashing
    case bar
    case badge
    case overlay
    case tint(Tint)
    /// A little of a tint.
    case wash(Tint)
}
