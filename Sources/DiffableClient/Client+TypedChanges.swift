import Diffable

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Applies typed sections and items, as `list(_:as:)` yields them. The list becomes exactly the given sections, so pass a whole
/// list: items that a view, a window or `.skip` left out are deleted. A value encodes the members of its type, and the item loses
/// all others; `patchItems` changes one member and keeps the rest.
extension Client {
    /// Replaces the whole list by typed sections. Each value is encoded as JSON: O(length).
    ///
    ///     var sections = update.snapshot.sections
    ///     sections[0].items.append(ListItem(id: "milk", content: Todo(text: "Milk")))
    ///     try await client.apply("tasks", sections, ifRevision: update.revision)
    ///
    /// Throws `unencodable`, with the first item that has a value without a JSON form; nothing was sent then.
    ///
    /// - Parameters:
    ///   - content: the list's own content; `nil` keeps it, and an inner `nil` removes it.
    ///   - ifRevision: refused as `revisionMismatch` unless the list is at this revision.
    ///   - encoder: writes the JSON; the counterpart of the decoder that `list(_:as:)` takes.
    @discardableResult
    public func apply<Value: Encodable & Sendable>(
        _ list: ListName, _ sections: [ListSection<Value>], content: Content?? = nil, delivery: Delivery = .difference,
        ifRevision: Int? = nil, patience: Duration = .seconds(30), encoder: JSONEncoder? = nil
    ) async throws(ClientError) -> Outcome {
        let encoded = try sections.map { section throws(ClientError) in try Section(section, encoder: encoder) }
        return try await apply(
            list, encoded, content: content, delivery: delivery, ifRevision: ifRevision, patience: patience)
    }

    /// Replaces the whole list by sections as `list(_:)` yields them, without a type.
    @discardableResult
    @_disfavoredOverload  // So that an empty literal can only be a `Section` array.
    public func apply(
        _ list: ListName, _ sections: [ListSection<Content?>], content: Content?? = nil,
        delivery: Delivery = .difference, ifRevision: Int? = nil, patience: Duration = .seconds(30)
    ) async throws(ClientError) -> Outcome {
        try await apply(
            list, sections.map { Section($0) }, content: content, delivery: delivery, ifRevision: ifRevision,
            patience: patience)
    }

    /// Replaces the items of one section by typed items; a section that does not exist is added at the end.
    ///
    /// Throws `unencodable`, with the first item that has a value without a JSON form; nothing was sent then.
    @discardableResult
    public func apply<Value: Encodable & Sendable>(
        _ list: ListName, items: [ListItem<Value>], inSection section: SectionID, delivery: Delivery = .difference,
        ifRevision: Int? = nil, patience: Duration = .seconds(30), encoder: JSONEncoder? = nil
    ) async throws(ClientError) -> Outcome {
        let encoded = try items.map { item throws(ClientError) in try Item(item, encoder: encoder) }
        return try await apply(
            list, items: encoded, inSection: section, delivery: delivery, ifRevision: ifRevision, patience: patience)
    }

    /// Replaces the items of one section by items as `list(_:)` yields them, without a type.
    @discardableResult
    @_disfavoredOverload  // So that an empty literal can only be an `Item` array.
    public func apply(
        _ list: ListName, items: [ListItem<Content?>], inSection section: SectionID, delivery: Delivery = .difference,
        ifRevision: Int? = nil, patience: Duration = .seconds(30)
    ) async throws(ClientError) -> Outcome {
        try await apply(
            list, items: items.map { Item($0) }, inSection: section, delivery: delivery, ifRevision: ifRevision,
            patience: patience)
    }

    /// Publishes each state of a sequence, as typed sections. See `publish(_:from:durability:)`.
    ///
    /// A value that cannot be JSON ends it with `unencodable`; the states before it are published.
    public func publish<Value: Encodable & Sendable, States: AsyncSequence & Sendable>(
        _ list: ListName, from states: States, durability: Durability = .durable, encoder: JSONEncoder? = nil
    ) async throws where States.Element == [ListSection<Value>] {
        let encoded = states.map { try $0.map { section in try Section(section, encoder: encoder) } }
        try await publish(list, from: encoded, durability: durability)
    }

    /// Publishes each state of a sequence, as the typed items of one section. See `publish(_:inSection:from:durability:)`.
    public func publish<Value: Encodable & Sendable, States: AsyncSequence & Sendable>(
        _ list: ListName, inSection section: SectionID, from states: States, durability: Durability = .durable,
        encoder: JSONEncoder? = nil
    ) async throws where States.Element == [ListItem<Value>] {
        let encoded = states.map { try $0.map { item in try Item(item, encoder: encoder) } }
        try await publish(list, inSection: section, from: encoded, durability: durability)
    }
}
