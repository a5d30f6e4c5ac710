import Diffable
import DiffableJSON
import DiffableProtocol

/// The schemas of the contents of a list's items, by kind.
///
///     let schemas = ListSchemas(json: #"{"todo":{"type":"object","required":["text"]}}"#)
public struct ListSchemas: Sendable, Equatable {
    /// `{"todo":SCHEMA,…}`: JSON Schema with the keywords that `docs/protocol-lists.md` names. The kind `""` is for items
    /// without a kind.
    public var json: String
    /// The treatment of items whose kind is not in `json`.
    public var others: OtherKinds
    /// Whether the list's existing items must conform when the schemas are set.
    public var existing: ExistingItems

    /// The treatment of items whose kind has no schema.
    public enum OtherKinds: String, Sendable {
        /// They may have any content.
        case areAllowed = "allow"
        /// They are refused.
        case areRefused = "refuse"
    }

    /// Creates schemas without checking them; `setSchemas` throws their mistakes.
    public init(json: String, others: OtherKinds = .areAllowed, existing: ExistingItems = .areChecked) {
        self.json = json
        self.others = others
        self.existing = existing
    }

    /// No schemas, so that any content is allowed.
    public static let none = ListSchemas(json: "{}")
}

extension Connection {
    /// The schemas of the contents of a list's items; `.none` if there are none.
    public func schemas(of list: ListName) async throws(ClientError) -> ListSchemas {
        let result = try await schemasJSON(of: list)
        return try decoded { () throws(DecodingError) in ListSchemas(try Reply.Schemas(json: result)) }
    }

    package func schemasJSON(of list: ListName) async throws(ClientError) -> [UInt8] {
        try await reply(to: .schemas(.init(list: list)))
    }

    /// Sets the schemas of the contents of a list's items. Allowed for users who may set the list's access. Refused as
    /// `invalidContent` if an item does not conform, unless `existing` keeps existing items.
    ///
    /// Mistakes in the schemas are thrown as refusals, before anything is sent.
    public func setSchemas(of list: ListName, _ schemas: ListSchemas) async throws(ClientError) {
        let set: SchemaSet
        do throws(DecodingError) { set = try schemas.set() } catch {
            throw .refused(Refusal(WireError(error, list: list)))
        }
        _ = try await reply(to: .setSchemas(.init(list: list, schemas: set, existing: schemas.existing)))
    }
}

extension Client {
    /// The schemas of the contents of a list's items; `.none` if there are none.
    public func schemas(of list: ListName) async throws -> ListSchemas {
        try await withConnection { try await $0.schemas(of: list) }
    }

    /// Sets the schemas of the contents of a list's items. See `Connection.setSchemas`.
    public func setSchemas(of list: ListName, _ schemas: ListSchemas) async throws {
        try await withConnection { try await $0.setSchemas(of: list, schemas) }
    }
}

extension ListSchemas {
    init(_ reply: Reply.Schemas) {
        self.init(
            json: String(decoding: reply.json, as: UTF8.self),
            others: reply.others == .refuse ? .areRefused : .areAllowed, existing: reply.existing)
    }

    /// The daemon checks the limits of the length.
    fileprivate func set() throws(DecodingError) -> SchemaSet {
        try Array(json.utf8).withUnsafeBufferPointer { bytes throws(DecodingError) in
            try SchemaSet(
                json: UnsafeRawBufferPointer(bytes), others: others == .areRefused ? .refuse : .allow,
                limits: .journal)
        }
    }
}
