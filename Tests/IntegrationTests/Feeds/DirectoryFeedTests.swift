import Foundation
import Testing

extension Integration {
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
            // They are listed before the answer.
            try daemon.succeed("expand", "a", "a", "--ask")
            #expect(try daemon.ids(of: "a") == ["a", "a/b", "a/file"])
            let item = try daemon.succeed("get", "a", "a/file")
            #expect(item.contains(#""size":5"#) && item.contains(#""keywords":"k""#), "\(item)")
            #expect(try daemon.succeed("show", "a", "-o", "json").contains(#""title":"d""#))
            let refused = try daemon.companion("expand", "a", "a/file", "--ask")
            #expect(refused.status != 0 && refused.complaints.contains("is not a folder"), "\(refused.complaints)")
            _ = try daemon.directory.write("", to: "d/a/new")
            try daemon.waitForIDs(["a", "a/b", "a/new", "a/file"], program)
            try FileManager.default.removeItem(atPath: file("d/a"))
            try daemon.waitForIDs([], program)
            try FileManager.default.removeItem(atPath: file("d"))
            let gone = try daemon.waitForStatus("a directory that is gone") { $0.state == "failing" }
            #expect(gone.message?.contains("d was moved or deleted; it is listed again") == true, "\(gone)")
            try make("d/again")
            try daemon.waitForIDs(["again"], program)
            _ = try daemon.waitForStatus("a success") { $0.state == "fed" && $0.message == nil }
            program.signal(SIGTERM)
            #expect(try program.wait() == 0)
        }

        /// Otherwise, viewers with an open folder would show it empty.
        @Test func `what somebody has opened is listed after a start and a reload, too`() throws {
            try make("d/a/b")
            _ = try daemon.directory.write("", to: "d/a/b/file")
            func feeds(icon: String) -> String {
                "- {list: a, directory: \(file("d")), content: {icon: \(icon)}}\n"
            }
            var program = try daemon.startFeeds(feeds(icon: "x"))
            try daemon.waitForIDs(["a"], program)
            _ = try eventually("a handler") {
                try daemon.succeed("ls", "--json").contains(#""handles":["expand"]"#) ? true : nil
            }
            try daemon.succeed("expand", "a", "a", "--ask")
            try daemon.succeed("expand", "a", "a/b", "--ask")
            try daemon.waitForIDs(["a", "a/b", "a/b/file"], program)
            program.end(with: SIGTERM)

            _ = try daemon.directory.write("", to: "d/a/b/meanwhile")
            program = try daemon.startFeeds(feeds(icon: "x"))
            try daemon.waitForIDs(["a", "a/b", "a/b/file", "a/b/meanwhile"], program)
            try daemon.writeFeeds(feeds(icon: "y"))
            program.signal(SIGHUP)
            _ = try eventually("the reload") {
                try daemon.succeed("get", "a", "a").contains(#""icon":"y""#) ? true : nil
            }
            #expect(try daemon.ids(of: "a") == ["a", "a/b", "a/b/file", "a/b/meanwhile"])
            try FileManager.default.removeItem(atPath: file("d/a/b/file"))
            try daemon.waitForIDs(["a", "a/b", "a/b/meanwhile"], program)
            program.end(with: SIGTERM)
        }
    }
}
