/// Where the window of a view lies among all the rows that the view has without it: what a scroll bar shows. A row is an
/// item at any depth.
public struct ListWindow: Hashable, Sendable {
    /// How many rows are before the first of the window.
    public var offset: Int
    /// How many rows there are, inside and outside.
    public var total: Int
}
