// Applies operations as docs/protocol-operations.md describes them, both the model's and the operations that subscribers get.

extension NaiveList {
    package mutating func apply(_ operations: [NaiveJSON]) throws {
        for operation in operations { try apply(operation) }
    }

    package mutating func apply(_ operation: NaiveJSON) throws {
        switch operation["op"]?.string {
        case "reconfigureList":
            guard let content = operation["content"] else { throw NaiveFailure("no content: \(operation.text)") }
            self.content = content.isNull ? nil : content
        case "appendSections", "insertSections":
            let new = try (operation["sections"]?.elements ?? []).map { try Element(section: $0) }
            try checkNew(new.flatMap { $0.children.flatMap(\.withDescendants) })
            for section in new where sections.contains(where: { $0.id == section.id }) {
                throw NaiveFailure("there is a section \(section.id)")
            }
            let index = try Self.index(operation, among: sections, defaultsTo: sections.count)
            sections.insert(contentsOf: new, at: index)
        case "deleteSections":
            for id in ids(operation["sections"]) { sections.removeAll { $0.id == id } }
        case "moveSection":
            guard let index = sections.firstIndex(where: { $0.id == operation["section"]?.string }) else {
                throw NaiveFailure("no section to move: \(operation.text)")
            }
            let section = sections.remove(at: index)
            sections.insert(section, at: try Self.index(operation, among: sections, defaultsTo: sections.count))
        case "reloadSections":
            for element in operation["sections"]?.elements ?? [] {
                let id = element.string ?? element["id"]?.string
                guard let index = sections.firstIndex(where: { $0.id == id }) else {
                    throw NaiveFailure("no section to reload: \(operation.text)")
                }
                if let content = element["content"] { sections[index].content = content.isNull ? nil : content }
            }
        case "appendItems", "insertItems":
            let new = try (operation["items"]?.elements ?? []).map { try Element(item: $0) }
            try checkNew(new.flatMap(\.withDescendants))
            try insert(new, operation)
        case "moveItem":
            guard let id = operation["item"]?.string, let item = item(id) else {
                throw NaiveFailure("no item to move: \(operation.text)")
            }
            let places = [operation["parent"], operation["before"], operation["after"]].compactMap { $0?.string }
            guard !item.withDescendants.contains(where: { places.contains($0.id) }) else {
                throw NaiveFailure("\(id) would come under itself, or beside itself")
            }
            try remove(id)
            try insert([item], operation)
        case "deleteItems":
            let known = ids(operation["items"])
            for id in known where item(id) == nil { throw NaiveFailure("no item \(id) to delete") }
            for id in known { try? remove(id) }
        case "reconfigureItems", "reloadItems":
            for element in operation["items"]?.elements ?? [] {
                try update(element.string ?? element["id"]?.string) { item in
                    if let kind = element["kind"] { item.kind = kind.string }
                    if let content = element["content"] { item.content = content.isNull ? nil : content }
                }
            }
        case "expandItems": for id in ids(operation["items"]) { try update(id) { $0.isExpanded = true } }
        case "collapseItems": for id in ids(operation["items"]) { try update(id) { $0.isExpanded = false } }
        case "foldItems": for id in ids(operation["items"]) { try update(id) { $0.isFolded = true } }
        case "unfoldItems": for id in ids(operation["items"]) { try update(id) { $0.isFolded = false } }
        default: throw NaiveFailure("the model knows no \(operation.text.prefix(100))")
        }
    }

    private func ids(_ json: NaiveJSON?) -> [String] { (json?.elements ?? []).compactMap(\.string) }

    private func checkNew(_ new: [Element]) throws {
        let known = items.map(\.id) + new.map(\.id)
        guard Set(known).count == known.count else { throw NaiveFailure("an item that is there already") }
    }

    private static func index(
        _ operation: NaiveJSON, among siblings: [Element], defaultsTo index: Int
    ) throws -> Int {
        func place(_ id: String) throws -> Int {
            guard let index = siblings.firstIndex(where: { $0.id == id }) else { throw NaiveFailure("no \(id) there") }
            return index
        }
        if let before = operation["before"]?.string { return try place(before) }
        switch operation["after"] {
        case nil: return index
        case .null?: return 0
        case let after?: return try place(after.string ?? "") + 1
        }
    }

    private mutating func insert(_ new: [Element], _ operation: NaiveJSON) throws {
        let anchor = operation["before"]?.string ?? operation["after"]?.string
        let last = sections.last?.id
        func isOwner(_ element: Element, isSection: Bool) -> Bool {
            if let anchor { return element.children.contains { $0.id == anchor } }
            if let parent = operation["parent"]?.string { return !isSection && element.id == parent }
            return isSection && element.id == (operation["section"]?.string ?? last)
        }
        func insert(into elements: inout [Element], isTop: Bool) throws -> Bool {
            for index in elements.indices {
                if isOwner(elements[index], isSection: isTop) {
                    let place = try Self.index(
                        operation, among: elements[index].children, defaultsTo: elements[index].children.count)
                    elements[index].children.insert(contentsOf: new, at: place)
                    return true
                }
                if try insert(into: &elements[index].children, isTop: false) { return true }
            }
            return false
        }
        guard try insert(into: &sections, isTop: true) else { throw NaiveFailure("no place: \(operation.text)") }
    }

    private mutating func remove(_ id: String) throws {
        func remove(from elements: inout [Element], isTop: Bool) -> Bool {
            if !isTop, let index = elements.firstIndex(where: { $0.id == id }) {
                elements.remove(at: index)
                return true
            }
            return elements.indices.contains { remove(from: &elements[$0].children, isTop: false) }
        }
        guard remove(from: &sections, isTop: true) else { throw NaiveFailure("no item \(id)") }
    }

    private mutating func update(_ id: String?, _ body: (inout Element) -> Void) throws {
        func update(in elements: inout [Element], isTop: Bool) -> Bool {
            if !isTop, let index = elements.firstIndex(where: { $0.id == id }) {
                body(&elements[index])
                return true
            }
            return elements.indices.contains { update(in: &elements[$0].children, isTop: false) }
        }
        guard update(in: &sections, isTop: true) else { throw NaiveFailure("no item \(id ?? "?")") }
    }
}
