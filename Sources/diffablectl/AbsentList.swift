import Diffable
import DiffableClient
import DiffableInput
import DiffableJSON

/// A list that the daemon does not have.
enum AbsentList {
    /// Says when it was deleted and can come back: who makes it anew, as is advised otherwise, takes its name away. Says also
    /// when another daemon of this machine has it: most who have a daemon of their own and the system's forget at times
    /// which one they talk to.
    static func error(for refusal: Refusal, lookedAt path: SocketPath) async -> any Error {
        guard let list = refusal.list else { return ClientError.refused(refusal) }
        if await isDeleted(list, at: path) {
            return CommandError(
                .notFound, "the list \(quoted(list)) was deleted; diffablectl undelete \(list) brings it back")
        }
        guard let other = await holder(of: list, besides: path) else {
            return await misspelling(of: list, at: path) ?? ClientError.refused(refusal)
        }
        return CommandError(
            .notFound, "\(refusal.words). The \(other.words) has one of that name: \(other.option)")
    }

    private static func misspelling(of list: ListName, at path: SocketPath) async -> CommandError? {
        let lists = try? await Connection.withConnection(to: path, name: "diffablectl", replyTimeout: .seconds(1)) {
            try await $0.lists()
        }
        let names = lists?.map(\.list.description) ?? []
        return nearestName(to: list.description, among: names).map {
            CommandError(.notFound, "there is no list \(quoted(list)); did you mean \($0)?")
        }
    }

    private static func isDeleted(_ list: ListName, at path: SocketPath) async -> Bool {
        let deleted = try? await Connection.withConnection(to: path, name: "diffablectl", replyTimeout: .seconds(1)) {
            try await $0.deletedLists()
        }
        return deleted?.contains { $0.summary.list == list } ?? false
    }

    private static func holder(of list: ListName, besides path: SocketPath) async -> (words: String, option: String)? {
        for other in SocketPath.usual where other != path {
            let lists = try? await Connection.withConnection(to: other, name: "diffablectl", replyTimeout: .seconds(1))
            {
                try await $0.lists()
            }
            guard lists?.contains(where: { $0.list == list }) ?? false else { continue }
            return other == .system ? ("system's daemon", "--system") : ("user's own daemon", "--user")
        }
        return nil
    }
}
