import Diffable
import DiffableClient
import DiffableInput
import DiffableJSON

enum MissingListAdvice {
    /// The error for a missing list. It mentions a deleted list that can be restored, because creating the list again would
    /// take its name. It also mentions another daemon of this machine that has the list, because users of two daemons tend to
    /// forget which one a command uses.
    static func error(for refusal: Refusal, lookedAt path: SocketPath) async -> any Error {
        guard let list = refusal.list else { return ClientError.refused(refusal) }
        if await isDeleted(list, at: path) {
            return CommandError(
                .notFound,
                "the list \(quoted(list)) was deleted; diffablectl undelete \(commandWord(list)) brings it back")
        }
        guard let other = await holder(of: list, besides: path) else {
            return await misspelling(of: list, at: path) ?? ClientError.refused(refusal)
        }
        return CommandError(
            .notFound,
            "\(other.words) has the list \(quoted(list)), but this command used the daemon at \(path): use \(other.option) "
                + "instead")
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
            return other == .system ? ("the system's daemon", "--system") : ("your own daemon", "--user")
        }
        return nil
    }
}
