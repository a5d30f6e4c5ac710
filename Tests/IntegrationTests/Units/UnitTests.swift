import Foundation
import Testing

extension Integration {
    /// The units as they are installed, under a real systemd.
    struct UnitTests {
        @Test func `the first client starts the service, which says that it is ready and what it serves`() throws {
            guard let box = try Box() else { return }
            #expect(try box.property("ActiveState") == "inactive")
            try box.succeed("diffablectl", "create", "tasks")
            #expect(try box.property("ActiveState") == "active")
            #expect(try box.property("User") == "diffabled")
            try box.succeed("diffablectl", "apply", "tasks", input: "milk\n")
            #expect(
                try eventually("status") {
                    let text = try box.property("StatusText")
                    return text == "1 list, 1 item, 0 clients, 2 transactions" ? text : nil
                } != "")
            try box.succeed("systemctl", "stop", "diffabled.service")
            #expect(try box.property("Result") == "success")
            #expect(try box.succeed("diffablectl", "show", "tasks").contains("milk"), "the next client starts it again")
            try box.succeed("systemctl", "restart", "diffabled.service")
            #expect(try box.succeed("diffablectl", "show", "tasks").contains("milk"))
        }

        @Test(.early) func `through many kills nobody is refused, those who follow go on, and nothing is lost`() throws
        {
            guard let box = try Box() else { return }
            // Without increasing delays, which are for services that fail on their own.
            try box.setProperty("RestartSteps=0")
            try box.succeed("diffablectl", "create", "tasks")
            try box.succeed("diffablectl", "section", "add", "tasks", "main")
            let watch = try box.start("diffablectl", "watch", "tasks")
            let callers = try box.start("python3", "-c", Self.callers)
            try box.waitForSubscriptions(1)
            // Python may take long to start the first time.
            try eventually("callers") { try box.start("test", "-e", "/run/calling").wait() == 0 ? () : nil }
            let kills = Sweep.count(20)
            for round in 1...kills {
                try box.succeed("systemctl", "kill", "--signal", "KILL", "--kill-who", "main", "diffabled.service")
                try box.succeed("diffablectl", "append", "tasks", "item\(round)")
            }
            let shown = try box.succeed("diffablectl", "show", "tasks").split(separator: "\n").dropFirst()
            let items = (1...kills).map { "item\($0)" }
            #expect(shown.map { $0.trimmingCharacters(in: .whitespaces) } == items)

            let followed = try eventually("last item; \(watch.output)\(watch.complaints)") {
                watch.output.contains("item\(kills)") ? watch.outputLines : nil
            }
            // Each change arrived once, as a change, without a reset.
            let added = followed.compactMap { $0.firstMatch(of: #/ \+ (item\d+)/#).map { String($0.1) } }
            #expect(added == items, "\(watch.output)\(watch.complaints)")
            watch.end(with: SIGTERM)

            #expect(try box.property("NRestarts") == "\(kills)")
            try box.succeed("touch", "/run/enough")
            #expect(try callers.wait() == 0, "\(callers.complaints)")
            let served = callers.output.wholeMatch(of: #/(\d+) connected, 0 refused\n/#)
            #expect((served.flatMap { Int($0.1) } ?? 0) > 5 * kills, "\(callers.output)")
        }

        /// Connects repeatedly until `/run/enough` exists and it connected often enough. A missing socket or listener is an
        /// error.
        private static let callers = """
            import os, socket, time
            connected = refused = 0
            while connected <= 100 or not os.path.exists("/run/enough"):
                with socket.socket(socket.AF_UNIX) as caller:
                    try:
                        caller.connect("/run/diffabled/diffabled.sock")
                        connected += 1
                    except OSError: refused += 1
                if connected == 1: open("/run/calling", "w").close()
                time.sleep(0.005)
            print(f"{connected} connected, {refused} refused")
            """

        /// It was tried twice a second.
        @Test(.early)
        func `a state directory that cannot be used is tried again every ten seconds, and clients wait`() throws {
            guard let box = try Box() else { return }
            let begin = ContinuousClock.now
            try box.setProperty("Environment=DIFFABLED_STATE_DIRECTORY=/proc/lists")
            let client = try box.start("diffablectl", "create", "tasks")
            let status = try eventually("word of the daemon") {
                let text = try box.property("StatusText")
                return text.contains("cannot be used") ? text : nil
            }
            #expect(status.hasPrefix("Retrying in 10 seconds: the state directory /proc/lists cannot be used"))
            Thread.sleep(forTimeInterval: 5)
            let restarts = try Int(box.property("NRestarts")) ?? .max
            #expect(restarts <= Int(begin.duration(to: .now) / .seconds(10)))
            #expect(client.exitStatus() == nil, "\(client.complaints)")
            #expect(try box.succeed("systemctl", "is-active", "diffabled.socket") == "active\n")

            // After a repair, a signal ends the pause. On a busy machine it may be nearly over by then.
            try eventually("pause that ends early") {
                try box.setProperty("Environment=DIFFABLED_STATE_DIRECTORY=/proc/lists")
                try box.succeed("systemctl", "restart", "--no-block", "diffabled.service")
                try eventually("word of the next daemon") {
                    let text = try box.property("StatusText")
                    return try text.contains("cannot be used") && box.property("MainPID") != "0" ? () : nil
                }
                let start = try Int(box.property("ExecMainStartTimestampMonotonic")) ?? 0
                try box.setProperty("Environment=")
                try box.succeed("systemctl", "restart", "diffabled.service")
                let end = try Int(box.property("InactiveEnterTimestampMonotonic")) ?? .max
                return start > 0 && start < end && end - start < 9_900_000 ? () : nil
            }
            #expect(try client.wait() == 0, "\(client.complaints)")
            #expect(try box.succeed("diffablectl", "ls").contains("tasks"))
        }

        @Test func `the daemon takes no more of the machine's memory than the unit allows`() throws {
            guard let box = try Box() else { return }
            for name in ["MemoryHigh", "MemoryMax"] {
                let value = try box.property(name)
                #expect((Int(value) ?? 0) > 1 << 20, "\(name) is \(value)")
            }
            let value = try box.property("MemoryMax", of: "diffable-feed.service")
            #expect((Int(value) ?? 0) > 1 << 20, "MemoryMax of the feeds is \(value)")
            #expect(try box.property("OOMPolicy", of: "diffable-feed.service") == "continue")
        }

        @Test func `systemctl reload of the feeds fails when their file cannot be used, and they go on`() throws {
            guard let box = try Box() else { return }
            func write(_ id: String, _ key: String = "every") throws {
                try box.write(
                    "- {list: a, command: [echo, \(id)], \(key): 1h, from: lines}\n", to: "/etc/diffabled/feeds.yaml")
            }
            func wait(for id: String) throws {
                _ = try eventually(id) {
                    try box.start("diffablectl", "get", "a", id).wait() == 0 ? true : nil
                }
            }
            try write("one")
            try box.succeed("systemctl", "start", "diffable-feed.service")
            try wait(for: "one")
            let process = try box.property("MainPID", of: "diffable-feed.service")
            try write("two", "evry")
            #expect(try box.start("systemctl", "reload", "diffable-feed.service").wait() != 0)
            #expect(try box.property("MainPID", of: "diffable-feed.service") == process)
            try wait(for: "one")
            let log = try box.succeed("journalctl", "-u", "diffable-feed", "-o", "cat")
            #expect(log.contains("line 1: evry: unknown key; did you mean every?"), "\(log)")
            try write("three")
            try box.succeed("systemctl", "reload", "diffable-feed.service")
            try wait(for: "three")
            #expect(try box.property("MainPID", of: "diffable-feed.service") == process)
        }

        @Test func `systemctl reload waits until the settings are in force, and fails when they cannot be`() throws {
            guard let box = try Box() else { return }
            try box.succeed("diffablectl", "create", "tasks")
            try box.succeed("diffablectl", "section", "add", "tasks", "main")
            let process = try box.property("MainPID")
            for limit in 1...3 {
                try box.write("itemsMax: \(limit)\n", to: "/etc/diffabled/diffabled.yaml")
                try box.succeed("systemctl", "reload", "diffabled.service")
                try box.succeed("diffablectl", "append", "tasks", "item \(limit)", "-q")
                #expect(try box.start("diffablectl", "append", "tasks", "more", "-q").wait() == 1)
            }
            try box.write("itemsMax: lots\n", to: "/etc/diffabled/diffabled.yaml")
            #expect(try box.start("systemctl", "reload", "diffabled.service").wait() != 0)
            _ = try box.log(with: "itemsMax, in line 1 of /etc/diffabled/diffabled.yaml, is \"lots\"")
            #expect(try box.start("diffablectl", "append", "tasks", "more", "-q").wait() == 1)
            #expect(try box.property("MainPID") == process)
            #expect(try box.property("ActiveState") == "active")
        }

        @Test func `the sandbox keeps the daemon from homes, from the network, and from other files`() throws {
            guard let box = try Box() else { return }
            try box.write("secret", to: "/home/somebody/file")
            // The same unit with another program shows the unit's permissions.
            let probe = """
                import os, socket
                def attempt(what, body):
                    try: body(); print(what, "works", flush=True)
                    except OSError as error: print(what, "fails", flush=True)
                attempt("home", lambda: open("/home/somebody/file").read())
                attempt("inet", lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM))
                attempt("netlink", lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW))
                attempt("unix", lambda: socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
                attempt("etc", lambda: open("/etc/diffabled/probe", "w"))
                attempt("state", lambda: open("/var/lib/diffabled/probe", "w"))
                attempt("chroot", lambda: os.chroot("/var/lib"))
                attempt("boot", lambda: open("/proc/sys/kernel/random/boot_id").read())
                print("capabilities", [l.split()[1] for l in open("/proc/self/status") if l.startswith("CapBnd")], flush=True)
                """
            try box.write(probe, to: "/usr/share/probe.py")
            try box.setProperty("Type=oneshot\nExecStart=\nExecStart=/usr/bin/python3 /usr/share/probe.py\nRestart=no")
            try box.succeed("systemctl", "start", "diffabled.service")
            let said = try box.log(with: "capabilities")
            for line in [
                "home fails", "inet fails", "netlink fails", "unix works", "etc fails", "state works", "chroot fails",
                "boot works", "capabilities ['0000000000000000']",
            ] { #expect(said.contains(line), "\(said)") }
        }

        @Test func `the units are without a fault, and expose little`() throws {
            guard let box = try Box() else { return }
            let verify = try box.start(
                "systemd-analyze", "verify", "--man=no", "diffabled.service", "diffabled.socket")
            #expect(try verify.wait() == 0)
            #expect(Box.withoutNewSettings(verify.complaints) == "" && verify.output == "")
            let verifyUser = try box.start(
                "env", "XDG_RUNTIME_DIR=/run", "systemd-analyze", "--user", "verify", "--man=no", "diffabled.service",
                "diffabled.socket")
            #expect(try verifyUser.wait() == 0)
            let complaints = Box.withoutNewSettings(verifyUser.complaints)
            #expect(!complaints.contains("diffabled"), "\(complaints)")
            let security = try box.succeed(
                "systemd-analyze", "security", "--offline=true", "--threshold=6", "--no-pager", "diffabled.service")
            #expect(security.contains("Overall exposure level for diffabled.service: 0."), "\(security.suffix(200))")
            // The threshold is in tenths. A command that exceeds it fails.
            _ = try box.succeed(
                "systemd-analyze", "security", "--offline=true", "--threshold=30", "--no-pager", "diffable-feed.service"
            )
            // An instance: browsers are strangers.
            try box.write(
                String(contentsOfFile: "\(Binaries.repository)/systemd/system/diffable-web@.service", encoding: .utf8)
                    .replacing("%i", with: "daemon"),
                to: "/run/diffable-web-as-daemon.service")
            _ = try box.succeed(
                "systemd-analyze", "security", "--offline=true", "--threshold=6", "--no-pager",
                "/run/diffable-web-as-daemon.service")
        }
    }
}
