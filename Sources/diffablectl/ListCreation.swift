import Diffable
import DiffableClient

/// A list that a command makes when there is none, for what it puts there next, and that goes again when nothing comes.
struct ListCreation {
    let list: ListName
    /// It stays when the daemon is asked again.
    private var isOurs = false

    init(_ list: ListName) { self.list = list }

    mutating func make(over connection: Connection) async throws {
        do {
            _ = try await connection.createList(list)
            isOurs = true
        } catch ClientError.refused(let refusal) where refusal.name == "listExists" {}
    }

    /// Nobody is left with an empty list because a command failed. What somebody else has put there stays.
    func withdraw(over connection: Connection) async {
        if isOurs { try? await connection.deleteList(list, ifRevision: 0, keeping: .never) }
    }
}
