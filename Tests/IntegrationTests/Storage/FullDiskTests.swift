import Foundation
import Testing

extension Integration {
    /// A really full disk: a file system of three megabytes, and a limit on the length of files.
    struct FullDiskTests {
        @Test(.enabled(if: SmallFileSystem.isPossible, "needs to mount a tmpfs: root, or user namespaces"))
        func `a full disk refuses changes and is survived, and room that is made is used without a restart`() throws {
            let directory = try ScratchDirectory()
            let disk = try SmallFileSystem(at: directory.file("state"), in: directory)
            var program = try disk.startDaemon(in: directory)
            let client = try #require(try Daemon.client(of: program, in: directory))
            #expect(try create(client).contains("result"))
            var kept = 0
            try disk.fill()
            // The log has some free room from earlier use.
            var refusal = ""
            for _ in 0..<50 where refusal.isEmpty {
                let reply = try append(kept, client)
                if reply.contains(#""changed":true"#) { kept += 1 } else { refusal = reply }
            }
            #expect(refusal.contains(#""name":"noSpace""#), "\(refusal)")
            #expect(refusal.contains("Free some space"))
            // The list is unchanged and readable, and changes are still refused.
            #expect(try items(client) == Array(0..<kept))
            #expect(try append(kept, client).contains(#""name":"noSpace""#))
            try disk.free()
            for _ in 0..<20 {
                #expect(try append(kept, client).contains(#""changed":true"#))
                kept += 1
            }
            #expect(program.exitStatus() == nil)
            program.end(with: SIGKILL)
            program = try disk.startDaemon(in: directory)
            let again = try #require(try Daemon.client(of: program, in: directory))
            #expect(try items(again) == Array(0..<kept))
            // A start with a full disk serves the existing lists.
            program.end(with: SIGKILL)
            try disk.fill()
            program = try disk.startDaemon(in: directory)
            let third = try #require(try Daemon.client(of: program, in: directory))
            #expect(try items(third) == Array(0..<kept))
            try disk.free()
            #expect(try append(kept, third).contains(#""changed":true"#))
            program.signal(SIGTERM)
            #expect(try program.wait() == 0)
        }

        @Test(
            .enabled(if: SmallFileSystem.isPossible, "needs to mount a tmpfs: root, or user namespaces"),
            arguments: [false, true])
        func `on a full disk lists can be deleted, which makes room, also after a start`(isFilledByOthers: Bool) throws
        {
            let directory = try ScratchDirectory()
            let disk = try SmallFileSystem(at: directory.file("state"), in: directory)
            var program = try disk.startDaemon(in: directory)
            var client = try #require(try Daemon.client(of: program, in: directory))
            var count = 0
            var refusal = ""
            if isFilledByOthers {
                for _ in 0..<4 { refusal += try fill("f\(count)", client, &count) }
                #expect(refusal.isEmpty)
                try disk.fill()
            }
            while refusal.isEmpty, count < 100 { refusal = try fill("f\(count)", client, &count) }
            #expect(refusal.contains(#""name":"noSpace""#), "\(refusal)")
            #expect(try client.reply(to: #"{"id":1,"method":"status"}"#).contains(#""storage":"full""#))
            for isStarted in [false, true] {
                if isStarted {
                    program.signal(SIGTERM)
                    #expect(try program.wait() == 0)
                    program = try disk.startDaemon(in: directory)
                    client = try #require(try Daemon.client(of: program, in: directory))
                }
                for _ in 0..<2 where count > 0 {
                    count -= 1
                    let reply = try client.reply(
                        to: #"{"id":1,"method":"deleteList","params":{"list":"f\#(count)","keep":"never"}}"#)
                    #expect(reply.contains("result"), "\(reply)")
                }
                // Deleted lists are removed from the disk in the background.
                _ = try eventually("room for a list") {
                    try fill("g\(isStarted)", client, &count).isEmpty ? true : nil
                }
                count -= 1
                #expect(try client.reply(to: #"{"id":1,"method":"status"}"#).contains(#""storage":"working""#))
                #expect(
                    try client.reply(
                        to: #"{"id":1,"method":"deleteList","params":{"list":"g\#(isStarted)","keep":"never"}}"#
                    ).contains("result"))
            }
            program.signal(SIGTERM)
            #expect(try program.wait() == 0)
        }

        /// Makes a list with 50 KB, and returns the error, or "" if there was room.
        private func fill(_ list: String, _ client: RawClient, _ count: inout Int) throws -> String {
            let items = (0..<100).map { #"{"id":"\#($0)","content":"\#(String(repeating: "x", count: 500))"}"# }
            let creation = try client.reply(
                to: #"{"id":1,"method":"createList","params":{"list":"\#(list)","ifAbsent":true}}"#)
            if creation.contains("error") { return creation }
            let reply = try client.reply(
                to:
                    #"{"id":2,"method":"apply","params":{"list":"\#(list)","section":"s","snapshot":[\#(items.joined(separator: ","))]}}"#
            )
            if reply.contains("error") { return reply }
            count += 1
            return ""
        }

        @Test func `a limit on the length of files is a full disk, and no reason to die`() throws {
            let directory = try ScratchDirectory()
            // In blocks of 512 bytes.
            let limited = try Program(
                "/bin/sh",
                [
                    "-c", "ulimit -f 1000; exec \"$@\"", "sh", Binaries.daemon, "--socket", directory.file("socket"),
                    "--state-directory", directory.file("state"),
                ], in: directory)
            let client = try #require(try Daemon.client(of: limited, in: directory))
            #expect(try create(client).contains("result"))
            var kept = 0
            var refusal = ""
            while refusal.isEmpty, kept < 100 {
                let reply = try append(kept, client)
                if reply.contains(#""changed":true"#) { kept += 1 } else { refusal = reply }
            }
            #expect(kept > 3)
            #expect(refusal.contains(#""name":"noSpace""#), "\(refusal)")
            #expect(try items(client) == Array(0..<kept))
            #expect(limited.exitStatus() == nil)
            limited.signal(SIGTERM)
            #expect(try limited.wait() == 0)
            let daemon = try Daemon(in: directory)
            let again = try daemon.connect()
            #expect(try items(again) == Array(0..<kept))
            #expect(try append(kept, again).contains(#""changed":true"#))
        }

        private func create(_ client: RawClient) throws -> String {
            _ = try client.reply(to: #"{"id":1,"method":"createList","params":{"list":"log"}}"#)
            return try client.reply(
                to: #"{"id":2,"method":"transact","params":{"list":"log","operations":[{"op":"appendSections","#
                    + #""sections":[{"id":"s"}]}]}}"#)
        }

        private func append(_ number: Int, _ client: RawClient) throws -> String {
            let content = String(repeating: "x", count: 30_000)
            return try client.reply(
                to: #"{"id":\#(number),"method":"transact","params":{"list":"log","operations":[{"op":"appendItems","#
                    + #""items":[{"id":"\#(number)","content":"\#(content)"}]}]}}"#)
        }

        private func items(_ client: RawClient) throws -> [Int] {
            let reply = try client.reply(to: #"{"id":1,"method":"snapshot","params":{"list":"log"}}"#)
            return reply.matches(of: /"id":"([0-9]+)"/).compactMap { Int($0.1) }
        }
    }
}
