import Diffable
import DiffableClient

/// Creates a missing list for a command, and deletes it again if the command fails.
struct ListCreation {
    let list: ListName
    /// Keeps its value when the request is repeated.
    private var isOurs = false

    init(_ list: ListName) { self.list = list }

    /// Returns whether the list was missing.
    @discardableResult mutating func make(over connection: Connection) async throws -> Bool {
        do {
            _ = try await connection.createList(list)
            isOurs = true
        } catch ClientError.refused(let refusal) where refusal.code == .listExists {}
        return isOurs
    }

    /// Deletes the list if it is still empty, so that a failed command leaves no empty list.
    func withdraw(over connection: Connection) async {
        if isOurs { try? await connection.deleteList(list, ifRevision: 0, keeping: .never) }
    }
}
