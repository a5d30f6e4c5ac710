import Diffable
import DiffableJSON
import DiffableProtocol

/// What a list says of the contents of its items, by kind.
///
///     let schemas = ListSchemas(json: #"{"todo":{"type":"object","required":["text"]}}"#)
public struct ListSchemas: Sendable, Equatable {
    /// `{"todo":SCHEMA,…}`: JSON Schema, out of the keywords that `docs/protocol.md` names. The kind `""` is for items
    /// without one.
    public var json: String
    /// What becomes of items whose kind is not in `json`.
    public var others: OtherKinds
    /// Whether the items that the list has already must fit, when the schemas are set.
    public var existing: ExistingItems

    /// What becomes of items whose kind has no schema.
    public enum OtherKinds: String, Sendable {
        /// They may have any content.
        case areAllowed = "allow"
        /// They are refused.
        case areRefused = "refuse"
    }

    /// Nothing is checked here; `setSchemas` throws what is wrong with them.
    public init(json: String, others: OtherKinds = .areAllowed, existing: ExistingItems = .areChecked) {
        self.json = json
        self.others = others
        self.existing = existing
    }

    /// For a list whose contents nobody checks.
    public static let none = ListSchemas(json: "{}")
}

extension Connection {
    /// What the contents of a list's items must look like; `.none` if nobody has said so.
    public func schemas(of list: ListName) async throws(ClientError) -> ListSchemas {
        let result = try await schemasJSON(of: list)
        return try decoded { () throws(DecodingError) in ListSchemas(try Reply.Schemas(json: result)) }
    }

    /// The daemon's own answer.
    package func schemasJSON(of list: ListName) async throws(ClientError) -> [UInt8] {
        try await reply(to: .schemas(.init(list: list)))
    }

    /// Says what the contents of a list's items must look like from now on. For those who may set its access. Refused as
    /// `invalidContent` when an item does not fit, unless `existing` says that items are kept.
    ///
    /// What is wrong with the schemas is thrown as the daemon would say it.
    public func setSchemas(of list: ListName, _ schemas: ListSchemas) async throws(ClientError) {
        let set: SchemaSet
        do throws(DecodingError) { set = try schemas.set() } catch {
            throw .refused(Refusal(WireError(error, list: list)))
        }
        _ = try await reply(to: .setSchemas(.init(list: list, schemas: set, existing: schemas.existing)))
    }
}

extension Client {
    /// What the contents of a list's items must look like; `.none` if nobody has said so.
    public func schemas(of list: ListName) async throws -> ListSchemas {
        try await withConnection { try await $0.schemas(of: list) }
    }

    /// Says what the contents of a list's items must look like from now on. See `Connection.setSchemas`.
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

    /// How long they may be is for the daemon to say.
    fileprivate func set() throws(DecodingError) -> SchemaSet {
        try Array(json.utf8).withUnsafeBufferPointer { bytes throws(DecodingError) in
            try SchemaSet(
                json: UnsafeRawBufferPointer(bytes), others: others == .areRefused ? .refuse : .allow,
                limits: .journal)
        }
    }
}
