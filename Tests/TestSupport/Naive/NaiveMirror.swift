/// A subscriber's copy, in any form of delivery: each update applied to the previous state, and nothing else.
package struct NaiveMirror {
    package private(set) var list = NaiveList()
    package private(set) var extent: NaiveView.Extent?
    package private(set) var epoch = ""
    /// The revision of the last complete update, or of a bookmark after it.
    package private(set) var revision: Int?
    private var staged: (list: NaiveList, operations: [NaiveJSON], pins: [String: Int?], rows: [String: Int])?

    package init() {}

    /// A complete update.
    package struct Group {
        package var method: String
        /// The reason of a reset, if it has one.
        package var reason: String?
        /// The revision from which it continues.
        package var from: Int?
        /// Operations, or the steps of a patch.
        package var operations: [NaiveJSON]
        /// The state before it.
        package var old: NaiveList
        package var oldExtent: NaiveView.Extent?
        package var oldRevision: Int?
    }

    /// The extent with the pins and sections that a view asks for; earlier views may have asked for others.
    package func extent(in view: NaiveView) -> NaiveView.Extent? {
        guard var extent, let window = view.json["window"] else { return extent }
        let pins = window["pins"]?.elements.compactMap(\.string) ?? []
        extent.pins = extent.pins.filter { pins.contains($0.key) }
        if window["allSections"]?.boolean != true { extent.rows = [:] }
        return extent
    }

    /// Continues with a view, which the last update shows: without the pins and sections that only earlier views asked for. The
    /// view may name the anchor that the update named.
    package mutating func follow(_ view: NaiveView) {
        extent = extent(in: view)
        if extent?.anchor == view.anchor { extent?.anchor = nil }
    }

    /// Whether an update is incomplete.
    package var isInGroup: Bool { staged != nil }

    /// Drops an incomplete update, after a lost connection.
    package mutating func forgetParts() { staged = nil }

    /// Applies a message; returns the update when it is complete.
    package mutating func receive(_ message: NaiveJSON) throws -> Group? {
        guard let method = message["method"]?.string, let params = message["params"] else {
            throw NaiveFailure("no notification: \(message.text.prefix(200))")
        }
        let operations = (params["operations"] ?? params["patch"])?.elements ?? []
        var next = staged ?? (list, [], [:], [:])
        for member in params["pins"]?.members ?? [] { next.pins.updateValue(member.value.int, forKey: member.name) }
        for member in params["rows"]?.members ?? [] { next.rows[member.name] = member.value.int }
        switch method {
        case "reset":
            if staged == nil { next.list = NaiveList() }
            try next.list.apply(operations)
        case "changes": try next.list.apply(operations)
        case "snapshot":
            guard let snapshot = params["snapshot"] else { throw NaiveFailure("a snapshot without one") }
            next.list = try NaiveList(snapshot)
        case "patch":
            var document = next.list.json
            for step in operations { try document.apply(step) }
            next.list = try NaiveList(document)
        case "bookmark":
            revision = params["revision"]?.int ?? revision
            return nil
        default: throw NaiveFailure("the model knows no \(method)")
        }
        next.operations += operations
        if params["more"]?.boolean == true {
            staged = next
            return nil
        }
        staged = nil
        let group = Group(
            method: method, reason: params["reason"]?.string, from: params["from"]?.int, operations: next.operations,
            old: list, oldExtent: extent, oldRevision: revision)
        list = next.list
        revision = params["revision"]?.int
        epoch = params["epoch"]?.string ?? epoch
        let isWhole = method == "reset" || method == "snapshot"
        let known = isWhole ? nil : extent
        extent = nil
        guard let offset = params["offset"]?.int, let total = params["total"]?.int else { return group }
        var extent = NaiveView.Extent(offset: offset, total: total)
        extent.anchor = params["anchor"]?.string
        for (id, row) in next.pins where known?.pins[id] == .some(row) {
            throw NaiveFailure("the pin \(id) has not moved")
        }
        for (id, count) in next.rows where known?.rows[id] == count { throw NaiveFailure("\(id) has as many rows") }
        extent.pins = (known?.pins ?? [:]).merging(next.pins) { $1 }
        extent.rows = (known?.rows ?? [:]).merging(next.rows) { $1 }
            .filter { section in list.sections.contains { $0.id == section.key } }
        self.extent = extent
        return group
    }
}

// MARK: - JSON Patch (RFC 6902)

extension NaiveJSON {
    fileprivate mutating func apply(_ step: NaiveJSON) throws {
        func path(_ name: String) throws -> ArraySlice<String> {
            guard let text = step[name]?.string else { throw NaiveFailure("a step without \(name): \(step.text)") }
            return text.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
                .map { String($0).replacing("~1", with: "/").replacing("~0", with: "~") }[...]
        }
        switch step["op"]?.string {
        case "add": try insert(step["value"] ?? .null, at: try path("path"))
        case "remove": _ = try remove(at: try path("path"))
        case "replace":
            _ = try remove(at: try path("path"))
            try insert(step["value"] ?? .null, at: try path("path"))
        case "move":
            let value = try remove(at: try path("from"))
            try insert(value, at: try path("path"))
        default: throw NaiveFailure("an unknown step: \(step.text)")
        }
    }

    private mutating func insert(_ value: NaiveJSON, at path: ArraySlice<String>) throws {
        try change(at: path) { owner, name in
            switch owner {
            case .object(var members):
                members.removeAll { $0.name == name }
                owner = .object(members + [Member(name: name, value: value)])
            case .array(var elements):
                guard let index = Int(name), index <= elements.count else { throw NaiveFailure("no place \(name)") }
                elements.insert(value, at: index)
                owner = .array(elements)
            default: throw NaiveFailure("no place \(name)")
            }
        }
    }

    private mutating func remove(at path: ArraySlice<String>) throws -> NaiveJSON {
        var removed: NaiveJSON?
        try change(at: path) { owner, name in
            switch owner {
            case .object(var members):
                removed = owner[name]
                members.removeAll { $0.name == name }
                owner = .object(members)
            case .array(var elements):
                guard let index = Int(name), index < elements.count else { throw NaiveFailure("nothing at \(name)") }
                removed = elements.remove(at: index)
                owner = .array(elements)
            default: break
            }
        }
        guard let removed else { throw NaiveFailure("nothing at \(path.joined(separator: "/"))") }
        return removed
    }

    /// Calls the body with the container of the path's last name.
    private mutating func change(
        at path: ArraySlice<String>, _ body: (inout NaiveJSON, String) throws -> Void
    ) throws {
        guard let name = path.first else { throw NaiveFailure("the root is never changed") }
        if path.count == 1 { return try body(&self, name) }
        switch self {
        case .object(var members):
            guard let index = members.firstIndex(where: { $0.name == name }) else {
                throw NaiveFailure("nothing at \(name)")
            }
            try members[index].value.change(at: path.dropFirst(), body)
            self = .object(members)
        case .array(var elements):
            guard let index = Int(name), elements.indices.contains(index) else {
                throw NaiveFailure("nothing at \(name)")
            }
            try elements[index].change(at: path.dropFirst(), body)
            self = .array(elements)
        default: throw NaiveFailure("nothing at \(name)")
        }
    }
}
