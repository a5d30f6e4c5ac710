import Foundation
import Testing

extension Integration {
    /// State directories that released versions wrote. Each later version must open them. `state-0.1.0.tar.gz` has one that
    /// a daemon closed, and one of a daemon that was killed. Make a new archive for each release that writes other files.
    struct UpgradeTests {
        @Test(arguments: ["0.1.0"], ["closed", "killed"])
        func `the state of an older version is read with all lists, their history and their rights`(
            version: String, ending: String
        ) throws {
            let directory = try ScratchDirectory()
            let archive = URL(filePath: #filePath).deletingLastPathComponent().appending(
                path: "state-\(version).tar.gz")
            let tar = try Program(
                "/usr/bin/tar",
                ["--extract", "--no-same-owner", "--file", archive.path, "--directory", directory.file(".")],
                in: directory)
            #expect(try tar.wait() == 0, "\(tar.complaints)")
            try #require(rename(directory.file(ending), directory.file("state")) == 0)
            let daemon = try Daemon(in: directory)

            #expect(try daemon.ids(of: "shopping") == ["milk", "bread", "soap"])
            let milk = try daemon.succeed("get", "shopping", "milk")
            #expect(milk == "{\"id\":\"milk\",\"part\":\"food\",\"amount\":1.50}\n")
            #expect(try daemon.succeed("get", "shopping", "soap").contains("Seife – 肥皂"))
            let outline = try daemon.succeed("show", "outline", "-o", "jsonl")
            #expect(try daemon.ids(of: "outline") == ["a", "a/b", "a/b/c", "d"])
            #expect(outline.contains(#""expanded":true"#), "\(outline)")
            #expect(try daemon.ids(of: "numbers") == ["1", "3", "4"])
            let numbers = try daemon.succeed("ls", "--json")
            #expect(numbers.contains(#""mode":"0640""#), "\(numbers)")

            // The history continues where it ended.
            let log = try daemon.succeed("log", "numbers").split(separator: "\n")
            #expect(log.count == 3 && log[0].contains("schemas of 1 kind"), "\(log)")
            try daemon.succeed("undo", "numbers")
            #expect(try daemon.ids(of: "numbers") == ["1", "2", "3"])
            let refused = try daemon.companion("append", "numbers", "5", #"{"other":1}"#)
            #expect(refused.status != 0 && refused.complaints.contains("schema"), "\(refused)")
            try daemon.succeed("undelete", "gone")
            #expect(try daemon.ids(of: "gone") == ["x"])

            // This version can read its own files again.
            daemon.program.end(with: SIGTERM)
            try daemon.restart()
            #expect(try daemon.ids(of: "numbers") == ["1", "2", "3"])
        }
    }
}
