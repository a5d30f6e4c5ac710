import Diffable

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A section with typed items: from a snapshot, or made by a program for `Client.apply`.
///
///     ListSection(id: "today", items: [ListItem(id: "milk", content: Todo(text: "Milk"))])
public struct ListSection<Value: Sendable>: Identifiable, Sendable {
    /// The section's id, unique in the list.
    public let id: SectionID
    /// The content of its header, as JSON; nil for none. `content?.decoded(as: Heading.self)` is a value of your own type.
    public var content: Content?
    private var nested: NestedItems<Value>

    init(_ section: Section, items: NestedItems<Value>) {
        id = section.id
        content = section.content
        nested = items
    }

    /// Makes a section to publish.
    public init(id: SectionID, content: Content? = nil, items: [ListItem<Value>] = []) {
        self.id = id
        self.content = content
        nested = .given(items)
    }

    /// Makes a section to publish, with a value of the program's own type as its content.
    ///
    ///     try ListSection("today", encoding: Heading(title: "Today"), items: items)
    ///
    /// Throws the errors of `Content.init(encoding:)`.
    public init(_ id: SectionID, encoding content: some Encodable, items: [ListItem<Value>] = []) throws {
        self.init(id: id, content: try Content(encoding: content), items: items)
    }

    /// The items directly in it, in order, each with its children. In a section of a snapshot, each call finds them again: O(k
    /// log n) for k items.
    public var items: [ListItem<Value>] {
        get { nested.items }
        set { nested = .given(newValue) }
    }
}

/// An item with a value of the program's own type as its content: from a snapshot, or made by a program for `Client.apply`.
public struct ListItem<Value: Sendable>: Identifiable, Sendable {
    /// The item's id, unique in the whole list.
    public let id: ItemID
    /// The item's kind, which selects the registration that draws it; nil for none.
    public var kind: Kind?
    /// The decoded content, or the content to encode.
    public var content: Value
    /// Nil if the program did not set it; `apply` keeps the list's expansion then.
    private(set) var expansion: Bool?
    private var nested: NestedItems<Value>

    init(_ item: Item, content: Value, children: NestedItems<Value>) {
        id = item.id
        kind = item.kind
        self.content = content
        expansion = item.isExpanded
        nested = children
    }

    /// Makes an item to publish.
    ///
    /// - Parameter isExpanded: whether its children are shown; nil keeps the expansion of a known item, and collapses a new one.
    public init(
        id: ItemID, kind: Kind? = nil, content: Value, isExpanded: Bool? = nil, children: [ListItem] = []
    ) {
        self.id = id
        self.kind = kind
        self.content = content
        expansion = isExpanded
        nested = .given(children)
    }

    /// Whether its children are shown; false if it was not set.
    public var isExpanded: Bool {
        get { expansion ?? false }
        set { expansion = newValue }
    }

    /// The items directly below it, in order, each with its own children. In an item of a snapshot, each call finds them again:
    /// O(k log n) for k children. Such an item keeps its snapshot in memory as long as it has children.
    public var children: [ListItem] {
        get { nested.items }
        set { nested = .given(newValue) }
    }
}

// MARK: - As JSON

extension Section {
    /// Makes a section with a value of the program's own type as its content.
    ///
    ///     try Section("today", encoding: Heading(title: "Today"), items: items)
    ///
    /// Throws the errors of `Content.init(encoding:)`.
    public init(_ id: SectionID, encoding content: some Encodable, items: [Item] = []) throws {
        self.init(id: id, content: try Content(encoding: content), items: items)
    }

    /// Encodes the items of a typed section, for operations and for `publish`. O(length).
    ///
    /// Throws `ClientError.unencodable`, with the first item that has a value without a JSON form.
    public init<Value: Encodable>(
        _ section: ListSection<Value>, encoder: JSONEncoder? = nil
    ) throws(ClientError) {
        self.init(
            id: section.id, content: section.content,
            items: try section.items.map { item throws(ClientError) in try Item(item, encoder: encoder) })
    }

    /// Converts a section of a list that is followed without a type. O(length).
    public init(_ section: ListSection<Content?>) {
        self.init(id: section.id, content: section.content, items: section.items.map { Item($0) })
    }
}

extension Item {
    /// Encodes a typed item and its children. A value that is `null` in JSON, such as a `nil`, becomes no content. O(length).
    ///
    /// Throws `ClientError.unencodable`, with the first item that has a value without a JSON form.
    public init<Value: Encodable>(_ item: ListItem<Value>, encoder: JSONEncoder? = nil) throws(ClientError) {
        let content: Content?
        do { content = try Content(encodingUnlessNull: item.content, encoder: encoder) } catch {
            throw .unencodable(item.id, reason: "\(error)")
        }
        self.init(
            id: item.id, kind: item.kind, content: content, isExpanded: item.expansion,
            children: try item.children.map { child throws(ClientError) in try Item(child, encoder: encoder) })
    }

    /// Converts an item of a list that is followed without a type, with its children. O(length).
    public init(_ item: ListItem<Content?>) {
        self.init(
            id: item.id, kind: item.kind, content: item.content, isExpanded: item.expansion,
            children: item.children.map { Item($0) })
    }
}
