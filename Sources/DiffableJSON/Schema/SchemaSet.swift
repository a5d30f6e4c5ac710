import Diffable

/// The schemas of a list's contents, by kind.
package struct SchemaSet: Sendable {
    /// The treatment of items whose kind has no schema.
    package enum OtherKinds: String, Sendable {
        case allow
        case refuse
    }

    package let others: OtherKinds
    /// `{"todo":SCHEMA,…}`: the original text, without insignificant white space.
    package let json: [UInt8]
    private let kinds: ByteTable
    /// At the places of their kinds.
    private let schemas: [Schema]

    package init() {
        self.init(others: .allow, json: Array("{}".utf8), [])
    }

    init(others: OtherKinds, json: [UInt8], _ schemas: [(kind: [UInt8], schema: Schema)]) {
        self.others = others
        self.json = json
        var kinds = ByteTable()
        let places = kinds.append(schemas.map(\.kind)).places
        self.kinds = kinds
        self.schemas = zip(places, schemas).sorted { $0.0 < $1.0 }.map(\.1.schema)
    }

    /// `json` is `{"todo":SCHEMA,…}`; the kind `""` is for items without a kind.
    package init(
        json: UnsafeRawBufferPointer, others: OtherKinds, limits: SchemaLimits = .standard
    ) throws(DecodingError) {
        var decoder = Decoder(json, limits: .journal)
        self = try decoder.schemas(others: others, limits: limits)
        try decoder.end()
    }

    package var count: Int { schemas.count }

    /// The approximate size in bytes.
    package var lengthInMemory: Int { schemas.reduce(json.count) { $0 + $1.lengthInMemory } }

    /// The cost of checking an item, as a multiple of the cost of inserting it.
    package var costOfItem: Int { 1 + json.count / 1_024 }

    package var isEmpty: Bool { schemas.isEmpty && others == .allow }

    /// Why an item does not conform to the schema of its kind, or nil. `kind` and `content` are empty for none; no content is
    /// checked as `null`.
    package func check(kind: UnsafeRawBufferPointer, content: UnsafeRawBufferPointer) -> Violation? {
        guard let place = kinds.withBorrowed({ $0.place(of: kind, in: 0..<schemas.count) }) else {
            return others == .allow ? nil : violation(ofKind: kind)
        }
        guard var violation = schemas[place].check(content) else { return nil }
        violation.kind = String(decoding: kind, as: UTF8.self)
        return violation
    }

    package func check(_ record: Record) -> Violation? {
        record.withKind { kind in record.withContent { content in check(kind: kind, content: content) } }
    }

    private func violation(ofKind kind: UnsafeRawBufferPointer) -> Violation {
        let name = String(decoding: kind, as: UTF8.self)
        let known = schemas.indices.map { String(decoding: kinds.string($0), as: UTF8.self) }.filter { !$0.isEmpty }
        let which = kind.isEmpty ? "no kind" : "the kind \(name.quoted)"
        let advice = nearestName(to: name, among: known).map { "; did you mean \"\($0)\"?" } ?? ""
        return Violation(
            path: "", keyword: "others",
            predicate: "has \(which), for which the list has no schema (others is \"refuse\")\(advice)", kind: name)
    }
}

extension SchemaSet: Equatable {
    /// Equal texts make equal checks.
    package static func == (a: SchemaSet, b: SchemaSet) -> Bool { a.others == b.others && a.json == b.json }
}

extension SchemaSet {
    /// The same schemas with another rule for kinds without a schema.
    package func with(others: OtherKinds) -> SchemaSet { SchemaSet(self, others: others) }

    private init(_ set: SchemaSet, others: OtherKinds) {
        self.others = others
        json = set.json
        kinds = set.kinds
        schemas = set.schemas
    }
}

extension Decoder {
    /// `{"todo":SCHEMA,…}`. The limits apply to all of them together.
    package mutating func schemas(
        others: SchemaSet.OtherKinds, limits: SchemaLimits = .standard
    ) throws(DecodingError) -> SchemaSet {
        guard scanner.peek() == UInt8(ascii: "{") else { throw unexpected("schemas", "an object") }
        let json = try schemaText(limits)
        var schemas: [(kind: [UInt8], schema: Schema)] = []
        var known: Set<[UInt8]> = []
        var budget = SchemaBudget(limits)
        var object = try beginObject("schemas")
        while let name = try nextName(of: &object) {
            let kind = try kind(name)
            guard known.insert(kind).inserted else {
                throw .invalid("schemas has the kind \"\(name.text)\" twice", at: name.offset)
            }
            do throws(DecodingError) {
                schemas.append((kind, try schema(&budget)))
            } catch {
                throw error.inside(kind.isEmpty ? "\"\"" : name.text)
            }
        }
        return SchemaSet(others: others, json: json, schemas)
    }

    private func kind(_ name: JSONString) throws(DecodingError) -> [UInt8] {
        if name.bytes.isEmpty { return [] }
        do throws(IdentifierError) {
            return try name.withUTF8 { utf8 throws(IdentifierError) in
                try Kind(validating: utf8, lengthMax: limits.idLengthMax).record.withID { Array($0) }
            }
        } catch {
            throw .identifier(error, "a kind", at: name.offset, lengthMax: limits.idLengthMax)
        }
    }
}
