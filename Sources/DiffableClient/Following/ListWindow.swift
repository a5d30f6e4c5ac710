/// The position of a view's window among all rows of the view, as a scroll bar shows it. A row is an item at any depth.
public struct ListWindow: Hashable, Sendable {
    /// The number of rows before the window.
    public var offset: Int
    /// The number of rows inside and outside the window.
    public var total: Int
}
