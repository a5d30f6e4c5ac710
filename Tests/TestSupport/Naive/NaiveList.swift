/// A list as nested arrays, written from docs/protocol-operations.md alone: slow and simple.
package struct NaiveList: Equatable {
    /// A section (without a kind, never expanded) or an item.
    package struct Element: Equatable {
        package var id: String
        package var kind: String?
        package var content: NaiveJSON?
        package var isExpanded = false
        /// Whether a view leaves out its children.
        package var isFolded = false
        package var children: [Element] = []
    }

    /// The list's own content.
    package var content: NaiveJSON?
    package var sections: [Element] = []

    package init() {}

    /// `{"content":…,"sections":[…]}`
    package init(_ json: NaiveJSON) throws {
        content = json["content"].flatMap { $0.isNull ? nil : $0 }
        sections = try (json["sections"]?.elements ?? []).map { try Element(section: $0) }
    }

    /// All items, each before its children.
    package var items: [Element] { sections.flatMap { $0.children.flatMap(\.withDescendants) } }

    package func item(_ id: String) -> Element? { items.first { $0.id == id } }

    /// Returns an item and its parents, the section first; empty without such an item.
    package func path(to id: String) -> [Element] {
        func search(_ elements: [Element], isTop: Bool) -> [Element]? {
            for element in elements {
                if !isTop, element.id == id { return [element] }
                if let path = search(element.children, isTop: false) { return [element] + path }
            }
            return nil
        }
        return search(sections, isTop: true) ?? []
    }

    package var json: NaiveJSON {
        .object(
            (content.map { [.init(name: "content", value: $0)] } ?? [])
                + [.init(name: "sections", value: .array(sections.map { $0.json(asSection: true) }))])
    }
}

extension NaiveList.Element {
    package init(section json: NaiveJSON) throws {
        guard let id = json["id"]?.string else { throw NaiveFailure("a section without an id: \(json.text)") }
        self.init(id: id, content: json["content"].flatMap { $0.isNull ? nil : $0 })
        children = try (json["items"]?.elements ?? []).map { try Self(item: $0) }
    }

    package init(item json: NaiveJSON) throws {
        guard let id = json["id"]?.string else { throw NaiveFailure("an item without an id: \(json.text)") }
        self.init(
            id: id, kind: json["kind"]?.string, content: json["content"].flatMap { $0.isNull ? nil : $0 },
            isExpanded: json["expanded"]?.boolean ?? false, isFolded: json["folded"]?.boolean ?? false)
        children = try (json["children"]?.elements ?? []).map { try Self(item: $0) }
    }

    package var withDescendants: [Self] { [self] + children.flatMap(\.withDescendants) }

    /// Returns canonical JSON.
    package func json(asSection isSection: Bool = false) -> NaiveJSON {
        var members = [NaiveJSON.Member(name: "id", value: .string(id))]
        if let kind { members.append(.init(name: "kind", value: .string(kind))) }
        if let content { members.append(.init(name: "content", value: content)) }
        if isExpanded { members.append(.init(name: "expanded", value: .boolean(true))) }
        if isFolded { members.append(.init(name: "folded", value: .boolean(true))) }
        if !children.isEmpty {
            members.append(
                .init(name: isSection ? "items" : "children", value: .array(children.map { $0.json() })))
        }
        return .object(members)
    }
}
