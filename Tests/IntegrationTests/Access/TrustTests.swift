import Foundation
import Testing

extension Integration {
    /// The clients that a user's daemon serves, and the sockets that a client uses.
    @Suite(.withSeveralUsers)
    struct TrustTests {
        @Test func `a user's own daemon serves that user and root, and turns everybody else away`() throws {
            let directory = try ScratchDirectory()
            chmod(directory.path, 0o755)
            #expect(chown(directory.path, Somebody.alice.userID, Somebody.alice.userID) == 0)
            let socket = directory.file("socket")
            let daemon = try Somebody.alice.start(
                Binaries.daemon, ["--socket", socket, "--state-directory", directory.file("state")], in: directory)
            defer { daemon.end(with: SIGTERM) }
            // root's client, in this process.
            let root = try eventually("daemon; it said: \(daemon.complaints)") { try? RawClient(connectingTo: socket) }
            #expect(try root.reply(to: "ping").contains("result"))
            var status = stat()
            #expect(stat(socket, &status) == 0 && status.st_mode & 0o777 == 0o600)
            // The daemon refuses, even if the socket's mode permits it.
            chmod(socket, 0o666)
            let request = try directory.write("ping\nlists\n", to: "request")
            func output(of user: Somebody) throws -> String {
                let client = try user.start(
                    "/usr/bin/socat", ["-t", "1e9", "-", "UNIX-CONNECT:\(socket)"], input: request, in: directory)
                _ = try client.wait()
                return client.output
            }
            #expect(try output(of: .alice).contains(#""lists":[]"#))
            let refusal = try output(of: .bob)
            #expect(refusal.split(separator: "\n").count == 1)
            #expect(refusal.contains(#""name":"permissionDenied""#))
            #expect(refusal.contains("serves only root and the user 61001, and you are the user 61002"))
            // The command-line client does not even ask, although root owns the socket and its directory now.
            #expect(chown(directory.path, 0, 0) == 0 && chown(socket, 0, 0) == 0)
            let companion = try Somebody.bob.start(
                Binaries.companion, ["ls", "--socket", socket], in: directory)
            #expect(try companion.wait() == 3)
            #expect(companion.complaints.contains("the program that listens there runs as the user 61001"))
        }

        @Test func `the client refuses a socket whose directory others can write, and one of somebody else's`() throws {
            let daemon = try Daemon.forEverybody()
            try daemon.succeed("create", "notes", "--mode", "0666")
            let path = daemon.directory.path
            chmod(path, 0o777)
            let writable = try daemon.companion("ls")
            #expect(writable.status == 3)
            #expect(writable.complaints.contains("others can write in \(path) (mode 777)"))
            #expect(writable.complaints.contains("chmod go-w \(path)"))
            chmod(path, 0o775)
            #expect(try daemon.companion("ls").complaints.contains("others can write in"))
            // Like /tmp: users cannot delete other users' files there.
            chmod(path, 0o1777)
            #expect(try daemon.companion("ls").status == 0)
            // But any user may have created a socket there.
            #expect(chown(daemon.socket, Somebody.bob.userID, Somebody.bob.userID) == 0)
            let foreign = try daemon.companion(as: .alice, "ls")
            #expect(foreign.status == 3)
            #expect(foreign.complaints.contains("it belongs to the user 61002"))
            #expect(try daemon.companion(as: .bob, "ls").status == 0, "one's own is trusted")
            #expect(try daemon.companion("ls").status == 0, "root may talk to everybody's daemon")
            chmod(path, 0o755)
        }
    }
}
