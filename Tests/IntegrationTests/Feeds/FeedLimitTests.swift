import Foundation
import Testing

extension Integration {
    /// `diffable-feed` where the machine has no more to give.
    struct FeedLimitTests {
        private let daemon: Daemon

        init() throws { daemon = try Daemon() }

        private func file(_ name: String) -> String { daemon.directory.file(name) }

        /// In a user namespace of its own with room for so many watches of inotify.
        private func feedProgram(watches: Int) throws -> Program {
            let line =
                "echo \(watches) > /proc/sys/user/max_inotify_watches && exec '\(Binaries.feed)' --socket '\(daemon.socket)' "
                + "--config '\(file("feeds.yaml"))'"
            return try Program(
                "/usr/bin/unshare", ["--user", "--map-root-user", "sh", "-c", line], in: daemon.directory)
        }

        private static let isPossible: Bool = {
            guard let directory = try? ScratchDirectory() else { return false }
            let program = try? Program(
                "/usr/bin/unshare", ["--user", "--map-root-user", "test", "-w", "/proc/sys/user/max_inotify_watches"],
                in: directory)
            return (try? program?.wait()) == 0
        }()

        @Test(.enabled(if: isPossible, "needs user namespaces"))
        func `feeds whose files the kernel does not watch say so`() throws {
            _ = try daemon.directory.write("x\n", to: "rows")
            try FileManager.default.createDirectory(atPath: file("d"), withIntermediateDirectories: true)
            try daemon.writeFeeds(
                """
                - {list: a, command: [cat, \(file("rows"))], on: \(file("rows")), from: lines}
                - {list: b, sqlite: \(file("x.db")), query: SELECT 1 AS id}
                - {list: c, directory: \(file("d"))}
                """)
            let program = try feedProgram(watches: 0)
            for feed in ["a", "b", "c"] {
                _ = try daemon.waitForStatus("a limit", of: feed) {
                    $0.state == "failing" && $0.message?.contains("fs.inotify.max_user_watches") == true
                }
            }
            // What can be known is in the list.
            try daemon.waitForIDs(["x"], program)
            program.signal(SIGTERM)
            #expect(try program.wait() == 0)
        }
    }
}
