import Diffable
import Testing

@testable import DiffableJSON

@Suite struct `A JSON patch` {
    @Test(arguments: 1...6) func `leads from one snapshot to the next`(_: Int) throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var lists = RandomLists(seed: seed)
        var snapshot = Snapshot()
        for step in 0..<80 {
            let old = snapshot
            (_, snapshot) = try lists.operations(on: old)
            let difference = snapshot.difference(from: old)
            let patch = JSONPatchWriter.patch(from: old, by: difference)
            for limit in [0, lists.number(1..<2_000)] {
                #expect(Self.pieces(from: old, by: difference, limit: limit) == patch, "seed \(seed), step \(step)")
            }
            var document = try Document(old)
            try document.apply(patch)
            #expect(try document == Document(snapshot), "seed \(seed), step \(step)")
        }
    }

    /// A piece may exceed the limit by one step or element.
    @Test func `is written in pieces, also where one step brings everything`() throws {
        let items = (0..<2_000).map { "{\"id\":\"\($0)\",\"children\":[{\"id\":\"c\($0)\"}]}" }.joined(separator: ",")
        for (old, new) in [
            ("[]", #"[{"id":"s","items":[\#(items)]}]"#), (#"[{"id":"s"}]"#, #"[{"id":"s","items":[\#(items)]}]"#),
            (#"[{"id":"s","items":[\#(items)]}]"#, #"[{"id":"t"}]"#),
        ] {
            let (old, new) = (try snapshot(old), try snapshot(new))
            let pieces = Self.split(from: old, by: new.difference(from: old), limit: 1_000)
            #expect(pieces.allSatisfy { $0.count < 1_100 })
            var document = try Document(old)
            try document.apply(Array(pieces.joined()))
            #expect(try document == Document(new))
        }
    }

    private static func pieces(from old: Snapshot, by difference: [ListOperation], limit: Int) -> [UInt8] {
        Array(split(from: old, by: difference, limit: limit).joined())
    }

    private static func split(from old: Snapshot, by difference: [ListOperation], limit: Int) -> [[UInt8]] {
        var patch = JSONPatchWriter(from: old, by: difference)
        var pieces: [[UInt8]] = []
        var progress = Progress.more
        while progress == .more {
            var writer = ByteWriter()
            progress = patch.write(into: &writer, upTo: limit)
            pieces.append(writer.bytes)
        }
        return pieces
    }

    @Test func `names places as they are when its turn comes`() throws {
        let old = try snapshot(#"[{"id":"s","items":[{"id":"a","children":[{"id":"b"}]},{"id":"c"}]},{"id":"t"}]"#)
        let new = try old.applying([
            .moveItem("b", to: .end(of: .section("t"))), .deleteItems(["c"]),
            .reconfigureItems([ItemReconfiguration(id: "a", content: Content(Array("1".utf8)))]),
            .expandItems(["a"]), .insertItems([Item(id: "d"), Item(id: "e")], at: .after("a")),
        ])
        let patch = JSONPatchWriter.patch(from: old, by: new.difference(from: old))
        #expect(
            String(decoding: patch, as: UTF8.self) == """
                [{"op":"add","path":"/sections/0/items/1","value":{"id":"d"}},\
                {"op":"add","path":"/sections/0/items/2","value":{"id":"e"}},\
                {"op":"add","path":"/sections/1/items","value":[]},\
                {"op":"move","path":"/sections/1/items/0","from":"/sections/0/items/0/children/0"},\
                {"op":"remove","path":"/sections/0/items/0/children"},\
                {"op":"remove","path":"/sections/0/items/3"},\
                {"op":"add","path":"/sections/0/items/0/content","value":1},\
                {"op":"add","path":"/sections/0/items/0/expanded","value":true}]
                """)
    }

    /// RFC 6902, 4.4: `from` must not be a prefix of `path`.
    @Test func `moves nothing into what would be its own place`() throws {
        let old = try snapshot(#"[{"id":"s","items":[{"id":"a","children":[{"id":"x"}]},{"id":"b"}]}]"#)
        let new = try old.applying([.moveItem("a", to: .end(of: .parent("b")))])
        let patch = JSONPatchWriter.patch(from: old, by: new.difference(from: old))
        #expect(
            String(decoding: patch, as: UTF8.self) == """
                [{"op":"add","path":"/sections/0/items/1/children","value":[]},\
                {"op":"remove","path":"/sections/0/items/0"},\
                {"op":"add","path":"/sections/0/items/0/children/0","value":{"id":"a","children":[{"id":"x"}]}}]
                """)
    }

    @Test func `has no step for a request to draw again`() throws {
        let old = try snapshot(#"[{"id":"s","items":[{"id":"a"}]}]"#)
        let new = try old.applying([
            .reconfigureItems([ItemReconfiguration(id: "a")]), .reloadSections([SectionReload(id: "s")]),
        ])
        #expect(!new.difference(from: old).isEmpty)
        #expect(JSONPatchWriter.patch(from: old, by: new.difference(from: old)) == Array("[]".utf8))
    }

    private func snapshot(_ sections: String) throws -> Snapshot {
        try Snapshot(try decodeSections(#"{"sections":\#(sections)}"#))
    }
}

/// A JSON document that RFC 6902 changes. A step that does not fit is an error.
private enum Document: Equatable {
    case object([String: Document])
    case array([Document])
    /// The literal text.
    case scalar([UInt8])

    struct Misfit: Error {}

    init(_ snapshot: Snapshot) throws {
        var writer = ByteWriter()
        writer.appendSnapshot(WholeList(snapshot), expansion: .canonical)
        self = writer.withUnsafeBytes { Document(CompactValue($0)) }
    }

    init(_ value: CompactValue) {
        if value.isObject {
            self = .object(
                Dictionary(uniqueKeysWithValues: value.members.map { ($0.name.string.text, Document($0.value)) }))
        } else if value.isArray {
            self = .array(value.elements.map(Document.init))
        } else {
            self = .scalar(Array(value.bytes))
        }
    }

    mutating func apply(_ patch: [UInt8]) throws {
        guard case .array(let steps) = patch.withUnsafeBytes({ Document(CompactValue($0)) }) else { throw Misfit() }
        for case .object(let step) in steps {
            let path = try Self.path(step["path"])
            switch step["op"] {
            case .scalar(Array(#""add""#.utf8)): try insert(try Self.required(step["value"]), at: path[...])
            case .scalar(Array(#""remove""#.utf8)): _ = try remove(at: path[...])
            case .scalar(Array(#""move""#.utf8)):
                let from = try Self.path(step["from"])
                try #require(!(path.count > from.count && path.starts(with: from)), "RFC 6902, 4.4")
                try insert(try remove(at: from[...]), at: path[...])
            default: throw Misfit()
            }
        }
    }

    private static func required(_ value: Document?) throws -> Document {
        guard let value else { throw Misfit() }
        return value
    }

    private static func path(_ value: Document?) throws -> [String] {
        guard case .scalar(let bytes)? = value else { throw Misfit() }
        return String(decoding: bytes.dropFirst(2).dropLast(), as: UTF8.self).split(separator: "/").map(String.init)
    }

    private mutating func insert(_ value: Document, at path: ArraySlice<String>) throws {
        try change(at: path) { owner, name in
            switch owner {
            case .object(var members):
                members[name] = value
                owner = .object(members)
            case .array(var elements):
                guard let index = Int(name), index <= elements.count else { throw Misfit() }
                elements.insert(value, at: index)
                owner = .array(elements)
            case .scalar: throw Misfit()
            }
        }
    }

    private mutating func remove(at path: ArraySlice<String>) throws -> Document {
        var removed: Document?
        try change(at: path) { owner, name in
            switch owner {
            case .object(var members):
                removed = members.removeValue(forKey: name)
                owner = .object(members)
            case .array(var elements):
                guard let index = Int(name), index < elements.count else { throw Misfit() }
                removed = elements.remove(at: index)
                owner = .array(elements)
            case .scalar: throw Misfit()
            }
        }
        return try Self.required(removed)
    }

    /// Calls the body with the container of the path's last name.
    private mutating func change(
        at path: ArraySlice<String>, _ body: (inout Document, String) throws -> Void
    ) throws {
        guard let name = path.first else { throw Misfit() }
        if path.count == 1 { return try body(&self, name) }
        switch self {
        case .object(var members):
            var child = try Self.required(members[name])
            try child.change(at: path.dropFirst(), body)
            members[name] = child
            self = .object(members)
        case .array(var elements):
            guard let index = Int(name), elements.indices.contains(index) else { throw Misfit() }
            try elements[index].change(at: path.dropFirst(), body)
            self = .array(elements)
        case .scalar: throw Misfit()
        }
    }
}
