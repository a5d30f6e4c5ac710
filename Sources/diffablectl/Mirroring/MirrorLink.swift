import DiffableClient
import DiffableInput
import Dispatch
import Glibc

/// A connection to a daemon on another host: a command whose standard input and output lead to its socket.
struct MirrorLink: Sendable {
    let command: String
    let name: String

    static func ssh(to host: String) -> MirrorLink {
        MirrorLink(command: "ssh -T -- \(shellWord(host)) diffablectl relay", name: host)
    }

    /// A link by a command that runs another command on the other host.
    static func via(_ prefix: String, name: String) -> MirrorLink {
        MirrorLink(command: "\(prefix) diffablectl relay", name: name)
    }

    private static func shellWord(_ word: String) -> String { "'" + word.replacing("'", with: #"'\''"#) + "'" }

    /// The limit in bytes of a line from the other daemon, which may be hostile: the longest content of an item, and more.
    private static let lineLengthMax = 80 << 20

    func withConnection<R: Sendable>(
        replyTimeout: Duration, _ body: (Connection) async throws -> R
    ) async throws -> R {
        var ends: [CInt] = [-1, -1]
        guard socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0 else {
            throw CommandError(.unusable, "cannot create a socket pair: \(String(cString: strerror(errno)))")
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let child: ChildProcess
        do {
            child = try ChildProcess(["/bin/sh", "-c", command], input: .descriptor(ends[1]), output: ends[1])
        } catch {
            for end in ends { Glibc.close(end) }
            throw error
        }
        Glibc.close(ends[1])
        do {
            let result = try await Connection.withConnection(
                over: ends[0], SocketPath(name), name: nil, replyTimeout: replyTimeout
            ) { connection in
                connection.limitLinesRead(to: Self.lineLengthMax)
                try await connection.hello(name: "diffablectl mirror")
                return try await body(connection)
            }
            await end(child)
            return result
        } catch {
            let ending = await end(child)
            // The command's own message is on standard error. An error other than a lost connection is thrown before the
            // command ends.
            if case ClientError.connectionLost = error, case .status(let status) = ending, status != 0 {
                throw CommandError(.noDaemon, "`\(command)` ended with status \(status)")
            }
            throw error
        }
    }

    /// Ends the command: its input has ended, so it should end by itself; otherwise it is terminated.
    @discardableResult
    private func end(_ child: ChildProcess) async -> ChildProcess.Ending {
        await withCheckedContinuation { continuation in
            // Moves to another thread because it is used on `ending` alone.
            nonisolated(unsafe) let termination = DispatchWorkItem { kill(child.processID, SIGTERM) }
            Self.ending.asyncAfter(deadline: .now() + .seconds(1), execute: termination)
            DispatchQueue(label: "end of a command").async {
                child.waitWithoutReaping()
                // On the same queue as the termination, so that the number cannot belong to another process.
                Self.ending.async {
                    termination.cancel()
                    continuation.resume(returning: child.wait())
                }
            }
        }
    }

    private static let ending = DispatchQueue(label: "end of a link")
}
