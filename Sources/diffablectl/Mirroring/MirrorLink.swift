import DiffableClient
import DiffableInput
import Dispatch
import Glibc

/// The way to a daemon on another host: a command whose standard input and output lead to its socket.
struct MirrorLink: Sendable {
    /// As a shell takes it.
    let command: String
    /// What the other side is called, in errors.
    let name: String

    /// By ssh, to a host as ssh knows it.
    static func ssh(to host: String) -> MirrorLink {
        MirrorLink(command: "ssh -T -- \(shellWord(host)) diffablectl relay", name: host)
    }

    /// By a command that runs another one over there.
    static func via(_ prefix: String, name: String) -> MirrorLink {
        MirrorLink(command: "\(prefix) diffablectl relay", name: name)
    }

    private static func shellWord(_ word: String) -> String { "'" + word.replacing("'", with: #"'\''"#) + "'" }

    /// Starts the command, and lends the connection that leads through it for as long as the closure runs.
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
                over: ends[0], SocketPath(name), name: "diffablectl mirror", replyTimeout: replyTimeout, body)
            await end(child)
            return result
        } catch {
            let ending = await end(child)
            // Its own words stand on standard error.
            if case .status(let status) = ending, status != 0 {
                throw CommandError(.noDaemon, "`\(command)` ended with status \(status)")
            }
            throw error
        }
    }

    /// Its input has ended, so it ends by itself; one that does not is ended.
    @discardableResult
    private func end(_ child: ChildProcess) async -> ChildProcess.Ending {
        await withCheckedContinuation { continuation in
            // Goes to another thread because it is touched on `ending` alone.
            nonisolated(unsafe) let termination = DispatchWorkItem { kill(child.processID, SIGTERM) }
            Self.ending.asyncAfter(deadline: .now() + .seconds(1), execute: termination)
            DispatchQueue(label: "end of a command").async {
                child.waitWithoutReaping()
                // On the same queue: what has the process's number now is still that process.
                Self.ending.async {
                    termination.cancel()
                    continuation.resume(returning: child.wait())
                }
            }
        }
    }

    /// Where commands are ended that do not end by themselves, and where they are reaped.
    private static let ending = DispatchQueue(label: "end of a link")
}
