import Foundation
import Testing

extension Integration {
    /// `diffable-feed` with paths that lead elsewhere after a mount.
    struct MountFeedTests {
        private let daemon: Daemon

        init() throws { daemon = try Daemon() }

        private func file(_ name: String) -> String { daemon.directory.file(name) }

        /// Runs a program in the mount namespace of the feeds.
        private func run(beside feeds: Program, _ program: String, _ arguments: String...) throws {
            let mount = try Program(
                "/usr/bin/nsenter",
                ["--target", "\(feeds.processID)", "--user", "--mount", "--preserve-credentials", program] + arguments,
                in: daemon.directory)
            #expect(try mount.wait() == 0, "\(program) \(arguments): \(mount.complaints)")
        }

        private func make(_ folder: String, holding text: String) throws {
            try FileManager.default.createDirectory(atPath: file(folder), withIntermediateDirectories: true)
            _ = try daemon.directory.write("\(text)\n", to: "\(folder)/rows")
            let making = "import sqlite3, sys; d = sqlite3.connect(sys.argv[1]); d.execute('CREATE TABLE t(id)'); "
            let row = "d.execute('INSERT INTO t VALUES (?)', (sys.argv[2],)); d.commit()"
            let writer = try Program(
                "/usr/bin/python3", ["-c", making + row, file("\(folder)/x.db"), text], in: daemon.directory)
            #expect(try writer.wait() == 0, "\(writer.complaints)")
        }

        private func expect(_ text: String, files: [String], _ feeds: Program) throws {
            try daemon.waitForIDs([text], of: "command", feeds)
            try daemon.waitForIDs([text], of: "database", feeds)
            try daemon.waitForIDs(files, of: "directory", feeds)
        }

        @Test(.enabled(if: SmallFileSystem.isPossible, "needs to mount: root, or user namespaces"))
        func `feeds follow their paths when a disk is mounted over them, below them, and goes`() throws {
            try make("place/below", holding: "covered")
            try make("disk", holding: "disk")
            // A link to the mount point.
            symlink("place", file("link"))
            try daemon.writeFeeds(
                """
                - {list: command, command: [cat, \(file("link/rows"))], on: \(file("link/rows")), from: lines}
                - {list: database, sqlite: \(file("link/x.db")), query: SELECT id FROM t}
                - {list: directory, directory: {path: \(file("link")), depth: 2}}
                """)
            let feeds = try Program(
                "/usr/bin/unshare",
                [
                    "--user", "--map-root-user", "--mount", Binaries.feed, "--socket", daemon.socket, "--config",
                    file("feeds.yaml"),
                ], in: daemon.directory)
            try daemon.waitForIDs(["below", "below/rows", "below/x.db"], of: "directory", feeds)
            try run(beside: feeds, "mount", "--bind", file("disk"), file("place"))
            try expect("disk", files: ["rows", "x.db"], feeds)
            _ = try daemon.directory.write("written\n", to: "disk/rows")
            try daemon.waitForIDs(["written"], of: "command", feeds)
            try run(beside: feeds, "umount", "--lazy", file("place"))
            try daemon.waitForIDs(["below", "below/rows", "below/x.db"], of: "directory", feeds)
            _ = try daemon.waitForStatus("a file that is gone", of: "command") { $0.state == "failing" }
            _ = try daemon.waitForStatus("a database that is gone", of: "database") { $0.state == "failing" }
            try run(beside: feeds, "mount", "-t", "tmpfs", "none", file("place/below"))
            try daemon.waitForIDs(["below"], of: "directory", feeds)
            try run(beside: feeds, "sh", "-c", "echo new > '\(file("place/below/new"))'")
            try daemon.waitForIDs(["below", "below/new"], of: "directory", feeds)
            try run(beside: feeds, "umount", file("place/below"))
            try daemon.waitForIDs(["below", "below/rows", "below/x.db"], of: "directory", feeds)
            // The kernel reports no changes from here on.
            try run(beside: feeds, "mount", "--bind", "/proc/sys", file("place"))
            _ = try daemon.waitForStatus("a file system that reports nothing", of: "directory") {
                $0.message?.contains("is on /proc, where the kernel does not report changes") == true
            }
            feeds.signal(SIGTERM)
            #expect(try feeds.wait() == 0)
        }
    }
}
