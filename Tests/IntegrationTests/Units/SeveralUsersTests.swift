import Foundation
import Testing

extension Integration {
    /// Several users of the system's daemon, and the journal's entries about them.
    struct SeveralUsersTests {
        @Test func `one user may write and one may read, a third sees no list, and the journal tells who failed`()
            throws
        {
            guard let box = try Box() else { return }
            try box.succeed("groupadd", "readers")
            let day = try box.succeed("date", "+%F")
            let users = [
                "anna": try box.addUser("anna", "--groups", "readers"),
                "bob": try box.addUser("bob", "--groups", "readers"), "carol": try box.addUser("carol"),
            ]
            try box.succeed(as: "anna", "diffablectl", "create", "tasks", "--mode", "640")
            try box.succeed(as: "anna", "diffablectl", "chown", ":readers", "tasks")
            try box.succeed(as: "anna", "sh", "-c", "echo milk | diffablectl apply tasks -q")

            #expect(try box.succeed(as: "bob", "diffablectl", "show", "tasks") == "main\n    milk\n")
            let append = try box.start(as: "bob", "sh", "-c", "echo $$; exec diffablectl append tasks beer")
            #expect(try append.wait() == 7)
            #expect(append.complaints.contains("you need the right to write"), "\(append.complaints)")
            #expect(try box.succeed(as: "carol", "diffablectl", "ls") == "")
            let show = try box.start(as: "carol", "diffablectl", "show", "tasks")
            let other = try box.start(as: "carol", "diffablectl", "show", "mail")
            #expect(try show.wait() == 6)
            #expect(try other.wait() == 6)
            #expect(show.complaints == other.complaints.replacing("mail", with: "tasks"))
            #expect(try box.succeed(as: "anna", "diffablectl", "show", "tasks") == "main\n    milk\n")

            let bob = try fields(of: "DIFFABLED_ERROR=permissionDenied", in: box)
            #expect(bob["DIFFABLED_LIST"] == "tasks")
            #expect(bob["DIFFABLED_REQUEST"] == "transact")
            #expect(bob["DIFFABLED_PEER_UID"] == users["bob"])
            #expect(bob["DIFFABLED_PEER_PID"] == append.outputLines.first)
            #expect(bob["DIFFABLED_CLIENT"] == "diffablectl")
            #expect(bob["PRIORITY"] == "5")
            let carol = try fields(of: "DIFFABLED_LIST=tasks DIFFABLED_ERROR=noSuchList", in: box)
            #expect(carol["DIFFABLED_REQUEST"] == "subscribe")
            #expect(carol["DIFFABLED_PEER_UID"] == users["carol"])
            #expect(carol["PRIORITY"] == "6")
            #expect(carol["MESSAGE"]?.hasPrefix("refused: there is no list") == true)

            // A message with at least the severity of a warning.
            try box.write("itemsMax: lots\n", to: "/etc/diffabled/diffabled.yaml")
            #expect(try box.start("systemctl", "reload", "diffabled.service").wait() != 0)
            let expected = [
                "DIFFABLED_LIST=tasks": "there is no list", "--since today": "changing it needs write",
                "DIFFABLED_PEER_UID=": "_SYSTEMD_UNIT=diffabled.service", "-p warning": "itemsMax",
                "jq": "1 \(users["bob"] ?? "")\ttransact\tpermissionDenied",
            ]
            let commands = try documentedCommands()
            #expect(commands.count == expected.count)
            for command in commands {
                let expected = try #require(expected.first { command.contains($0.key) }, "\(command)")
                var said = ""
                try eventually("\(expected.value) from \(command), which says \(said)") {
                    said = try box.succeed("sh", "-c", command.replacing("=1000", with: "=\(users["bob"] ?? "")"))
                    if said.contains(expected.value) { return () }
                    // At midnight, today becomes yesterday.
                    return try command.contains("--since today") && box.succeed("date", "+%F") != day ? () : nil
                }
            }
        }

        /// Returns the fields of the one line that matches.
        private func fields(of match: String, in box: Box) throws -> [String: String] {
            let line = try eventually("\(match) in the journal") {
                let lines = try box.succeed("sh", "-c", "journalctl -u diffabled -o json \(match)").split(
                    separator: "\n")
                #expect(lines.count <= 1)
                return lines.first
            }
            let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
            return (value as? [String: Any] ?? [:]).compactMapValues { $0 as? String }
        }

        /// Returns the queries of the journal in docs/operations.md.
        private func documentedCommands() throws -> [String] {
            let page = try String(contentsOfFile: "\(Binaries.repository)/docs/operations.md", encoding: .utf8)
            return page.split(separator: "\n").filter { $0.hasPrefix("journalctl -u diffabled ") }.map(String.init)
        }
    }
}
