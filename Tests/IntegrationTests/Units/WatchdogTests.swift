import Foundation
import Testing

extension Integration {
    /// The cases in which systemd's watchdog ends a daemon, and those in which it does not.
    struct WatchdogTests {
        /// Long enough for a working daemon on a busy machine, which notifies twice in each timeout.
        private static let watchdogSeconds = 12

        @Test(.early) func `a daemon that hangs is restarted`() throws {
            guard let box = try Box() else { return }
            // A stopped process does not handle the signal that would end it.
            try box.setProperty("WatchdogSec=\(Self.watchdogSeconds)s\nTimeoutAbortSec=1s")
            try box.succeed("diffablectl", "create", "tasks")
            let before = try box.property("MainPID")
            try box.succeed("systemctl", "kill", "--signal", "STOP", "--kill-who", "main", "diffabled.service")
            _ = try box.waitForAnotherProcess(than: before)
            #expect(try box.property("NRestarts") == "1")
            #expect(try box.succeed("diffablectl", "ls").contains("tasks"))
        }

        @Test(.early, .enabled(if: StorageFault.library != nil, "needs a C compiler, /usr/bin/cc"))
        func `a daemon whose disk never answers is restarted; who waits is served, and nothing is lost`() throws {
            guard let box = try box("FAULT_AT=1 FAULT_ACTION=hang") else { return }
            let watch = try box.start("diffablectl", "watch", "tasks")
            try box.waitForSubscriptions(1)
            try box.succeed("diffablectl", "append", "tasks", "before")
            let process = try box.property("MainPID")

            try box.succeed("touch", Self.held)
            let during = try box.start("diffablectl", "append", "tasks", "during", "--retry", "600")
            _ = try eventually("sync that hangs") { try calls(in: box).contains(" hang\n") ? true : nil }
            try box.succeed("rm", Self.held)
            // Only the writing thread hangs.
            #expect(try box.succeed("diffablectl", "show", "tasks").hasSuffix("before\n"))
            _ = try box.waitForAnotherProcess(than: process)
            #expect(try during.wait() == 0, "\(during.complaints)")
            try box.succeed("diffablectl", "append", "tasks", "after")

            #expect(try box.property("NRestarts") == "1")
            let shown = try box.succeed("diffablectl", "show", "tasks").split(separator: "\n").dropFirst()
            #expect(shown.map { $0.trimmingCharacters(in: .whitespaces) } == ["before", "during", "after"])
            let followed = try eventually("last item; \(watch.output)\(watch.complaints)") {
                watch.output.contains("after") ? watch.output : nil
            }
            for item in ["before", "during", "after"] {
                #expect(followed.matches(of: try Regex("\\+ \(item)\\b")).count == 1, "\(followed)")
            }
            _ = try box.log(with: "no disk write has completed for a while")
            watch.end(with: SIGTERM)
        }

        @Test(.early, .enabled(if: StorageFault.library != nil, "needs a C compiler, /usr/bin/cc"))
        func `a slow disk is no reason for a restart, however long it is busy`() throws {
            guard let box = try box("FAULT_AT=1 FAULT_ACTION=slow FAULT_SECONDS=3") else { return }
            let process = try box.property("MainPID")
            try box.succeed("touch", Self.held)
            let start = ContinuousClock.now
            var item = 0
            // After the time in which a hanging daemon would have been ended.
            while start.duration(to: .now) < .seconds(Self.watchdogSeconds + 2) {
                item += 1
                try box.succeed("diffablectl", "append", "tasks", "item\(item)", "--retry", "0")
            }
            #expect(try box.property("MainPID") == process)

            // A start may also take longer.
            try box.succeed("systemctl", "restart", "diffabled.service")
            try box.succeed("rm", Self.held)
            let syncs = try calls(in: box).split(separator: "\n").filter { $0.hasSuffix(" slow") }
            #expect(syncs.count { $0.contains("witness") } >= 2, "\(syncs)")
            #expect(try box.succeed("diffablectl", "show", "tasks").contains("item\(item)"))
            #expect(try box.property("NRestarts") == "0")
            #expect(try !box.succeed("journalctl", "-u", "diffabled", "-o", "cat").contains("storage"))
        }

        /// Syncs fail while this file exists.
        private static let held = "/var/lib/diffabled/held"

        /// Returns a box with a list, whose daemon has a failing disk.
        private func box(_ fault: String) throws -> Box? {
            guard let library = StorageFault.library, let box = try Box() else { return nil }
            try box.copy(library, to: "/usr/lib/storage_faults.so")
            try box.setProperty(
                """
                WatchdogSec=\(Self.watchdogSeconds)s
                TimeoutAbortSec=1s
                Environment=LD_PRELOAD=/usr/lib/storage_faults.so FAULT_DIRECTORY=/var/lib/diffabled \
                    FAULT_LOG=/var/lib/diffabled/calls FAULT_KIND=sync FAULT_HELD=\(Self.held) \(fault)
                """)
            try box.succeed("diffablectl", "create", "tasks")
            try box.succeed("diffablectl", "section", "add", "tasks", "main")
            return box
        }

        private func calls(in box: Box) throws -> String {
            try box.succeed("sh", "-c", "cat /var/lib/diffabled/calls 2>/dev/null || true")
        }
    }
}
