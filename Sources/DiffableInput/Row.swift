import Diffable

/// A line, a record or an object of the input, before it becomes an item.
package struct Row: Sendable {
    /// The content of the item: JSON without insignificant white space.
    var content: Content
    /// The line in the input, counted from 1.
    var line: Int
    /// The id, from formats without fields (`lines`, `tree`). In other formats a field has it.
    var id: [UInt8]?
    /// The id of the parent's row, from formats without fields.
    var parent: [UInt8]?
    /// The properties of the item, from the lines of `show -o jsonl`.
    var item: WrittenItem?

    package init(content: Content, line: Int) {
        self.content = content
        self.line = line
    }

    init(
        content: Content, line: Int, id: [UInt8]?, parent: [UInt8]? = nil, item: WrittenItem? = nil
    ) {
        self.content = content
        self.line = line
        self.id = id
        self.parent = parent
        self.item = item
    }

    /// The properties of an item besides its id and its parent.
    struct WrittenItem: Sendable {
        var section: SectionID
        var kind: Kind?
        var content: Content?
        var isExpanded: Bool?
    }
}
