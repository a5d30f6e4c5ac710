import Diffable
import DiffableClient

struct ListCopy {
    let source: ListName
    let copy: ListName

    /// Makes the copy, and returns the revision of the source. If it fails, no list is left.
    func make(over connection: Connection) async throws -> Int {
        guard let known = try await connection.lists().first(where: { $0.list == source }) else {
            return try await connection.state(of: source).revision
        }
        let state = try await connection.state(of: source)
        let schemas = try await connection.schemas(of: source)
        try await connection.createList(copy, durability: known.durability, mode: known.access.mode)
        do {
            try await fill(state, over: connection)
            if schemas != .none { try await connection.setSchemas(of: copy, schemas) }
        } catch {
            try? await connection.deleteList(copy)
            throw error
        }
        return state.revision
    }

    private func fill(_ state: ListState, over connection: Connection) async throws {
        try await connection.apply(copy, state.snapshot.sections, content: .some(state.snapshot.content))
    }
}
