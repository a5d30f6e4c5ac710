import Foundation
import Testing

extension Integration {
    /// A user changes the target of a path while other users connect.
    @Suite(.withSeveralUsers)
    struct SwappedLinkTests {
        @Test func `a client never speaks to another user's server while links are swapped`() throws {
            let daemon = try Daemon.forEverybody()
            let directory = daemon.directory
            let theirs = directory.file("bob")
            mkdir(theirs, 0o755)
            #expect(chown(theirs, Somebody.bob.userID, Somebody.bob.userID) == 0)
            let python = try PythonClient.interpreter
            let scripts = URL(filePath: #filePath).deletingLastPathComponent().path
            let attacker = try Somebody.bob.start(
                python, ["-B", "\(scripts)/swap_links.py", theirs, daemon.socket], in: directory)
            defer { attacker.end(with: SIGKILL) }
            try eventually("attacker; it said: \(attacker.complaints)") { attacker.output.contains("ready") ? () : nil }
            let sockets = ["\(theirs)/link", "\(theirs)/folder/socket"]
            // The Python client connects within one process, so it can try often.
            let often = try Somebody.alice.start(
                python, ["-B", "\(scripts)/connect_often.py", "1000"] + sockets, in: directory)
            let statuses = try (0..<50).flatMap { _ in
                try sockets.map { try daemon.companion(as: .alice, "ls", "--socket", $0).status }
            }
            #expect(try often.wait() == 0, "\(often.complaints)")
            #expect(statuses.allSatisfy { [0, 3].contains($0) }, "\(Set(statuses))")
            #expect(!attacker.output.contains("heard"))
            #expect(attacker.exitStatus() == nil, "\(attacker.complaints)")
        }

        @Test func `a link that leads nowhere or in a circle is not connected to`() throws {
            let daemon = try Daemon.forEverybody()
            for (name, target) in [("nowhere", "none"), ("circle", "circle")] {
                let link = daemon.directory.file(name)
                #expect(symlink(target, link) == 0)
                let answer = try daemon.companion("ls", "--socket", link)
                #expect(answer.status == 3)
                #expect(answer.complaints.contains("no daemon answers at \(link)"))
            }
        }

        @Test func `a server of another user gets no request, wherever its socket is`() throws {
            let daemon = try Daemon.forEverybody()
            let (directory, theirs) = (daemon.directory, daemon.directory.file("theirs"))
            let server = try Somebody.bob.start(
                "/usr/bin/socat", ["UNIX-LISTEN:\(directory.file("bob/socket")),fork", "OPEN:/dev/null"],
                in: try directory.madeFor(.bob))
            defer { server.end(with: SIGKILL) }
            try eventually("server; it said: \(server.complaints)") {
                rename(directory.file("bob/socket"), theirs) == 0 ? () : nil
            }
            // Its owner and its directory look trustworthy.
            #expect(chown(theirs, 0, 0) == 0)
            chmod(theirs, 0o666)
            for user in [Somebody.alice, nil] {
                let answer =
                    if let user { try daemon.companion(as: user, "ls", "--socket", theirs) } else {
                        try daemon.companion("ls", "--socket", theirs)
                    }
                #expect(answer.status == 3)
                #expect(answer.complaints.contains("the program that listens there runs as the user 61002"))
            }
            // The same server is fine for its own user.
            #expect(chown(theirs, Somebody.bob.userID, Somebody.bob.userID) == 0)
            #expect(!(try daemon.companion(as: .bob, "ls", "--socket", theirs)).complaints.contains("runs as the user"))
        }
    }
}

extension ScratchDirectory {
    /// Makes a directory `bob` in this one for that user.
    fileprivate func madeFor(_ user: Somebody) throws -> ScratchDirectory {
        mkdir(file("bob"), 0o755)
        guard chown(file("bob"), user.userID, user.userID) == 0 else { throw Failure("chown: \(errno)") }
        return self
    }
}
