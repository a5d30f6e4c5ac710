import Diffable

/// One thing that was read, before it is an item: a line, a record or an object.
struct Row: Sendable {
    /// What the item shows: JSON without insignificant white space.
    var content: Content
    /// Where it stands in the input, counted from 1.
    var line: Int
    /// Said by formats that have no fields (`lines`, `tree`); otherwise a field holds it.
    var id: [UInt8]?
    /// The id of the row that this one is under, said by `tree`.
    var parent: [UInt8]?
}
