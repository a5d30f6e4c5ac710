import Foundation
import Testing

extension Integration {
    /// `diffable-feed`, with a feed from a directory.
    struct DirectoryFeedTests {
        private let daemon: Daemon

        init() throws { daemon = try Daemon() }

        private func file(_ name: String) -> String { daemon.directory.file(name) }

        private func make(_ name: String) throws {
            try FileManager.default.createDirectory(atPath: file(name), withIntermediateDirectories: true)
        }

        @Test func `folders are filled when somebody asks, and what is deleted goes`() throws {
            try make("d/a/b")
            _ = try daemon.directory.write("12345", to: "d/a/file")
            let program = try daemon.startFeeds(
                """
                - list: a
                  directory: {path: \(file("d")), sort: -name}
                  content: {keywords: k}
                """)
            try daemon.waitForIDs(["a"], program)
            _ = try eventually("a handler") {
                try daemon.succeed("ls", "--json").contains(#""handles":["expand"]"#) ? true : nil
            }
            // They are there when that is answered.
            try daemon.succeed("expand", "a", "a", "--ask")
            #expect(try daemon.ids(of: "a") == ["a", "a/b", "a/file"])
            let item = try daemon.succeed("get", "a", "a/file")
            #expect(item.contains(#""size":5"#) && item.contains(#""keywords":"k""#), "\(item)")
            #expect(try daemon.succeed("show", "a", "-o", "json").contains(#""title":"d""#))
            let refused = try daemon.companion("expand", "a", "a/file", "--ask")
            #expect(refused.status != 0 && refused.complaints.contains("is no folder"), "\(refused.complaints)")
            _ = try daemon.directory.write("", to: "d/a/new")
            try daemon.waitForIDs(["a", "a/b", "a/new", "a/file"], program)
            try FileManager.default.removeItem(atPath: file("d/a"))
            try daemon.waitForIDs([], program)
            try FileManager.default.removeItem(atPath: file("d"))
            let gone = try daemon.waitForStatus("a directory that is gone") { $0.state == "failing" }
            #expect(gone.message?.contains("is not there yet") == true, "\(gone)")
            try make("d/again")
            try daemon.waitForIDs(["again"], program)
            _ = try daemon.waitForStatus("a success") { $0.state == "fed" && $0.message == nil }
            program.signal(SIGTERM)
            #expect(try program.wait() == 0)
        }

        /// Where nobody may have a namespace of users of their own, the limit cannot be lowered for one process.
        private static let canLowerLimit: Bool = {
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/unshare")
            process.arguments = ["-Ur", "/bin/sh", "-c", "echo 5 > /proc/sys/user/max_inotify_watches"]
            process.standardError = FileHandle.nullDevice
            guard (try? process.run()) != nil else { return false }
            process.waitUntilExit()
            return process.terminationStatus == 0
        }()

        @Test(.enabled(if: canLowerLimit))
        func `more folders than the kernel watches are listed, and the feed says that changes are not seen`() throws {
            for number in 1...9 { try make("d/a\(number)") }
            try daemon.writeFeeds("- list: a\n  directory: {path: \(file("d")), depth: 2}\n")
            let line = "echo 5 > /proc/sys/user/max_inotify_watches && exec \"$0\" \"$@\""
            let program = try Program(
                "/usr/bin/unshare",
                [
                    "-Ur", "/bin/sh", "-c", line, Binaries.feed, "--socket", daemon.socket, "--config",
                    file("feeds.yaml"),
                ], in: daemon.directory)
            try daemon.waitForIDs((1...9).map { "a\($0)" }, program)
            let status = try daemon.waitForStatus("a limit") { $0.state == "failing" }
            #expect(status.message?.contains("max_user_watches") == true, "\(status)")
            program.end(with: SIGTERM)
        }
    }
}
