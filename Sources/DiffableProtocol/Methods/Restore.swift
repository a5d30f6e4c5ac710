import Diffable
import DiffableJSON

extension Request {
    /// A restore in parts, like a long transaction: nothing happens before the end.
    package enum Restore: Sendable {
        /// Operations that make a list from nothing, after the earlier parts' operations. Any part may contain the list's access
        /// and its schemas.
        indirect case part(SetAccess, SetSchemas?, [ListOperation])
        case end(replacing: Bool)
    }
}

/// The end gets the same reply as `lists`.
extension Request.Restore: RequestParameters {
    static func read(from decoder: inout Decoder, list: inout ListName?) throws(DecodingError) -> Request {
        var operations: [ListOperation]?
        var mode: AccessMode?
        var (owner, group): (UInt32?, UInt32?)
        var schemas: SchemaSet?
        var others: SchemaSet.OtherKinds?
        var existing: ExistingItems?
        var (replace, more): (Bool?, Bool?)
        try readObject(from: &decoder) { parameter, decoder throws(DecodingError) in
            switch parameter {
            case .list: list = try decoder.identifier("list")
            case .operations: operations = try decoder.operations()
            case .mode: mode = try decoder.accessMode()
            case .owner: owner = try decoder.userOrGroup("owner")
            case .group: group = try decoder.userOrGroup("group")
            case .schemas: schemas = try decoder.schemas(others: .allow, limits: .journal)
            case .others: others = try decoder.others()
            case .existing: existing = try decoder.existingItems()
            case .replace: replace = try decoder.boolean("replace")
            case .more: more = try decoder.boolean("more")
            }
        }
        switch more {
        case true?:
            let list = try needed(list, .list)
            let access = Request.SetAccess(list: list, mode: mode, owner: owner, group: group)
            if schemas == nil, others != nil || existing != nil {
                throw .invalidRequest("others and existing can be used only with schemas")
            }
            let said = schemas.map {
                Request.SetSchemas(
                    list: list, schemas: $0.with(others: others ?? .allow), existing: existing ?? .areChecked)
            }
            return .restore(.part(access, said, try needed(operations, .operations)))
        case false? where list == nil && operations == nil: return .restore(.end(replacing: replace == true))
        default:
            throw .invalidRequest(
                "restore takes lists in parts: each part has a list and \"more\":true, and the last one \"more\":false and no list"
            )
        }
    }

    func write(into writer: inout ByteWriter) {
        switch self {
        case .part(let access, let schemas, let operations):
            access.write(into: &writer)
            if let schemas { writer.appendParameters(schemas.schemas, schemas.existing) }
            writer.appendParameter("operations", operations: operations, expansion: .canonical)
            writer.appendParameter("more", true)
        case .end(let replacing):
            if replacing { writer.appendParameter("replace", true) }
            writer.appendParameter("more", false)
        }
    }
}
