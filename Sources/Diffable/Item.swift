/// An item as a value: its id, kind, content, expansion and children.
///
///     Item(id: "fr", kind: "country", content: paris, children: [])
///
/// A `Snapshot` stores items separately from their order. This form is used by operations and returned by reads.
public struct Item: Sendable {
    package let record: Record
    /// Whether its children are shown. With nil, a new item is collapsed, and an existing one keeps its expansion.
    public var isExpanded: Bool?
    /// Whether a view with `folded` leaves out its children. Only the daemon sets it.
    public package(set) var isFolded = false
    /// The items directly under it, in order.
    public var children: [Item]

    package init(record: Record, isExpanded: Bool? = nil, isFolded: Bool = false, children: [Item] = []) {
        self.record = record
        self.isExpanded = isExpanded
        self.isFolded = isFolded
        self.children = children
    }

    /// Creates an item. Copies the content, O(length).
    public init(
        id: ItemID, kind: Kind? = nil, content: Content? = nil, isExpanded: Bool? = nil, children: [Item] = []
    ) {
        self.init(
            record: Record.make(id: id.record, kind: kind, content: content), isExpanded: isExpanded,
            children: children)
    }

    /// Unique in the whole list.
    public var id: ItemID { ItemID(record: record) }
    /// Nil for none.
    public var kind: Kind? { record.kind }
    /// Nil for none. O(length), copied.
    public var content: Content? { record.content }
}

/// A section as a value, with its items.
public struct Section: Sendable {
    package let record: Record
    /// The items directly in it, in order.
    public var items: [Item]

    package init(record: Record, items: [Item] = []) {
        self.record = record
        self.items = items
    }

    /// Creates a section. Copies the content, O(length).
    public init(id: SectionID, content: Content? = nil, items: [Item] = []) {
        self.init(record: Record.make(id: id.record, kind: nil, content: content), items: items)
    }

    /// Unique among the list's sections.
    public var id: SectionID { SectionID(record: record) }
    /// The content; nil if there is none. Copies it, O(length).
    public var content: Content? { record.content }
}

extension SectionID {
    /// The section that a list gets if items are added before any section.
    public static var first: SectionID { "main" }
}

extension Record {
    static func make(id: Record, kind: Kind?, content: Content?) -> Record {
        id.replacing(kind: kind, content: .some(content), redraws: Redraws())
    }

    /// A kind or content of `nil` is kept. An inner `nil` removes it.
    func replacing(kind: Kind??, content: Content??, redraws: Redraws? = nil) -> Record {
        func rewritten(content: UnsafeRawBufferPointer?) -> Record {
            switch kind {
            case nil: self.rewritten(content: content, redraws: redraws)
            case .some(nil): self.rewritten(kind: .init(start: nil, count: 0), content: content, redraws: redraws)
            case .some(let kind?):
                kind.record.withID { self.rewritten(kind: $0, content: content, redraws: redraws) }
            }
        }
        switch content {
        case nil: return rewritten(content: nil)
        case .some(nil): return rewritten(content: .init(start: nil, count: 0))
        case .some(let content?):
            return content.bytes.withUnsafeBytes { rewritten(content: $0) }
        }
    }

    var kind: Kind? {
        guard hasKind else { return nil }
        let none = UnsafeRawBufferPointer(start: nil, count: 0)
        return withKind { Kind(record: Record.make(id: $0, kind: none, content: none)) }
    }

    var content: Content? {
        hasContent ? withContent { Content([UInt8]($0)) } : nil
    }
}
