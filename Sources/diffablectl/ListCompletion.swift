import ArgumentParser
import Diffable
import DiffableClient
import Dispatch

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

extension CompletionKind {
    /// The lists that the user may see. None when no daemon says within a moment which these are: a shell waits for
    /// this with the line that somebody is typing.
    static var lists: CompletionKind {
        .custom { words, _, _ in
            DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(1)) { _exit(ExitStatus.done.rawValue) }
            return await ListCompletion.names(socket: ListCompletion.socket(in: words))
        }
    }
}

enum ListCompletion {
    static func names(socket: String?) async -> [String] {
        let lists = try? await Connection.withConnection(to: .find(socket), name: "diffablectl") { connection in
            try await connection.lists()
        }
        return (lists ?? []).map(\.list.description).filter(isPlain)
    }

    /// What the line says that is being typed.
    static func socket(in words: [String]) -> String? {
        for (index, word) in words.enumerated() {
            if word == "--" { return nil }
            if word == "--socket", index + 1 < words.count { return words[index + 1] }
            if word.hasPrefix("--socket=") { return String(word.dropFirst("--socket=".count)) }
        }
        return nil
    }

    /// Whether a shell takes it as it is. bash carries out what stands in a completion, as in `$(reboot)`, and whoever
    /// may make lists chooses their names; so those that would have to be quoted are not offered.
    static func isPlain(_ name: String) -> Bool {
        let marks = "0123456789._-/+,%@".unicodeScalars
        return name.first != "-" && name.unicodeScalars.allSatisfy { $0.properties.isAlphabetic || marks.contains($0) }
    }
}
