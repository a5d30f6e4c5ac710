import Diffable
import DiffableJSON

extension Request {
    package struct SetSchemas: Sendable, Equatable {
        package var list: ListName
        /// Includes the rule for kinds without a schema.
        package var schemas: SchemaSet
        package var existing: ExistingItems

        package init(list: ListName, schemas: SchemaSet, existing: ExistingItems = .areChecked) {
            self.list = list
            self.schemas = schemas
            self.existing = existing
        }
    }
}

extension Request.SetSchemas: RequestParameters {
    static func read(from decoder: inout Decoder, list: inout ListName?) throws(DecodingError) -> Request {
        var schemas: SchemaSet?
        var others = SchemaSet.OtherKinds.allow
        var existing = ExistingItems.areChecked
        try readObject(from: &decoder) { parameter, decoder throws(DecodingError) in
            switch parameter {
            case .list: list = try decoder.identifier("list")
            case .schemas: schemas = try decoder.schemas(others: .allow, limits: decoder.limits.schemas)
            case .others: others = try decoder.others()
            case .existing: existing = try decoder.existingItems()
            }
        }
        let set = try needed(schemas, .schemas).with(others: others)
        return .setSchemas(Self(list: try needed(list, .list), schemas: set, existing: existing))
    }

    func write(into writer: inout ByteWriter) {
        writer.appendParameter("list", list)
        writer.appendParameters(schemas, existing)
    }
}

extension ByteWriter {
    mutating func appendParameters(_ schemas: SchemaSet, _ existing: ExistingItems) {
        appendParameterName("schemas")
        append(schemas.json)
        if schemas.others != .allow { appendParameter("others", schemas.others.rawValue) }
        if existing != .areChecked { appendParameter("existing", existing.rawValue) }
    }
}

extension Decoder {
    mutating func others() throws(DecodingError) -> SchemaSet.OtherKinds {
        let string = try string("others")
        guard let others = SchemaSet.OtherKinds(rawValue: string.text) else {
            throw .invalid("others must be \"allow\" or \"refuse\", not \(string.text.quoted)", at: string.offset)
        }
        return others
    }

    mutating func existingItems() throws(DecodingError) -> ExistingItems {
        let string = try string("existing")
        guard let existing = ExistingItems(rawValue: string.text) else {
            throw .invalid("existing must be \"check\" or \"keep\", not \(string.text.quoted)", at: string.offset)
        }
        return existing
    }
}
