import Diffable

/// The position of a view's window among all rows of the view, as a scroll bar shows it. A row is an item at any depth.
public struct ListWindow: Hashable, Sendable {
    /// The number of rows before the window.
    public var offset: Int
    /// The number of rows inside and outside the window.
    public var total: Int
    /// The item that the window begins with instead of its anchor, because the view does not show that any more.
    public var anchor: ItemID?
    /// The rows of the pinned items; nil for an item that the view does not show.
    public var pins: [ItemID: Int?] = [:]
    /// The number of rows of each section, with `allSections`.
    public var rows: [SectionID: Int] = [:]
}

extension ListWindow {
    /// The position after an update, which names only the pins and the sections that differ.
    init(_ extent: Window.Extent, after previous: ListWindow?, of window: Window?) {
        offset = extent.offset
        total = extent.total
        anchor = extent.anchor
        let pinned = Set(window?.pins ?? [])
        pins = (previous?.pins ?? [:]).filter { pinned.contains($0.key) }
        for pin in extent.pins { pins.updateValue(pin.row, forKey: pin.item) }
        if window?.hasAllSections == true { rows = previous?.rows ?? [:] }
        for section in extent.rows { rows[section.section] = section.count }
    }
}
