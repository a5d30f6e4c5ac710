import Diffable
import DiffableJSON

@testable import DiffableStore

extension SchemaSet {
    static func reading(_ json: String, others: OtherKinds = .allow) throws -> SchemaSet {
        try Array(json.utf8).withUnsafeBytes { try SchemaSet(json: $0, others: others) }
    }

    /// Schemas: items without a kind have a string `text`, and items of kind "header" only a string.
    static func ofTasks(others: OtherKinds = .allow) throws -> SchemaSet {
        try reading(
            #"""
            {"":{"type":"object","required":["text"],"properties":{"text":{"type":"string"}}},"header":{"type":"string"}}
            """#, others: others)
    }
}

extension Item {
    /// - Parameter json: its content.
    init(_ id: ItemID, kind: Kind? = nil, _ json: String?, children: [Item] = []) throws {
        self.init(id: id, kind: kind, content: try json.map { try Content(json: $0) }, children: children)
    }
}

extension Store {
    nonisolated func settingSchemas(
        _ name: ListName, _ set: SchemaSet, existing: ExistingItems = .areChecked, by peer: Peer = .daemon
    ) async -> Result<ListState, StoreError> {
        await withCheckedContinuation { continuation in
            later {
                $0.setSchemas(of: name, set, existing: existing, origin: Origin(name: "a test"), by: peer) {
                    continuation.resume(returning: $0)
                }
            }
        }
    }
}

extension Result where Failure == StoreError {
    /// The violation; nil for other errors.
    var misfit: InvalidContent? {
        if case .failure(.invalidContent(_, let invalid)) = self { invalid } else { nil }
    }
}
