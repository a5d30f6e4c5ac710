import Foundation
import Testing

extension Integration {
    /// The units of a user, under that user's own systemd.
    struct UserUnitTests {
        @Test func `a user's instance starts with its first client, and is nobody else's`() throws {
            guard let box = try Box() else { return }
            let anna = try box.addUser("anna", "--create-home")
            try box.addUser("bob")
            let directory = "/run/user/\(anna)"
            // The box lacks logind, which would make it.
            try box.write(
                "[Service]\nExecStart=\nExecStart=/usr/bin/install -d -o %i -m 700 /run/user/%i\nExecStop=\n",
                to: "/etc/systemd/system/user-runtime-dir@.service.d/test.conf")
            try box.succeed("systemctl", "daemon-reload")
            try box.succeed("systemctl", "start", "user@\(anna).service")
            func asAnna(_ command: String) throws -> String {
                try box.succeed(
                    as: "anna", "env", "HOME=/home/anna", "XDG_RUNTIME_DIR=\(directory)", "sh", "-c", command)
            }
            _ = try asAnna("systemctl --user enable --now --quiet diffabled.socket")
            _ = try asAnna("diffablectl create mine")
            #expect(try asAnna("systemctl --user is-active diffabled.service") == "active\n")
            #expect(try asAnna("ls /home/anna/.local/state/diffabled").contains("lists.sqlite"))

            _ = try asAnna("systemctl --user kill --signal KILL diffabled.service")
            #expect(try asAnna("diffablectl ls").contains("mine"))

            let socket = "\(directory)/diffabled/diffabled.sock"
            let bob = try box.start(as: "bob", "diffablectl", "ls", "--socket", socket)
            #expect(try bob.wait() == 3)
            #expect(!bob.output.contains("mine"))
        }
    }
}
