import Foundation
import Testing

extension Integration {
    /// Feeds of units, under a real systemd.
    struct UnitFeedTests {
        private static let sleeper = "[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n"

        @Test func `the system's units are followed, and done with as those who may say`() throws {
            guard let box = try Box() else { return }
            try box.addUser("anna", "--create-home")
            try box.write(Self.sleeper, to: "/etc/systemd/system/good.service")
            try box.write("[Service]\nType=oneshot\nExecStart=/bin/false\n", to: "/etc/systemd/system/bad.service")
            try box.write(
                "[Unit]\nStartLimitIntervalSec=0\n[Service]\nExecStart=/bin/true\nRestart=always\nRestartSec=1ms\n",
                to: "/etc/systemd/system/flapping.service")
            try box.succeed("systemctl", "daemon-reload")
            try box.succeed("systemctl", "enable", "--quiet", "good.service")
            try box.write(
                "- list: units\n  mode: \"0751\"\n  systemd: {units: [service, timer]}\n",
                to: "/etc/diffabled/feeds.yaml")
            try box.succeed("systemctl", "start", "diffable-feed.service")

            // A unit before its first start, and one that is not loaded.
            try wait(in: box, "good.service", "state=inactive", "unitFile=enabled")
            try wait(in: box, "bad.service", "state=inactive", "unitFile=static")
            #expect(try unit("bad.service", in: box).actions.map(\.id) == ["start"])
            try box.succeed("systemctl", "start", "good.service")
            try wait(in: box, "good.service", "state=active", "sub=running")
            let good = try unit("good.service", in: box)
            #expect(good.actions.map(\.id) == ["stop", "restart"] && good.text == "good.service" && good.load == nil)
            let started = try box.succeed(
                "systemctl", "show", "--value", "--property", "StateChangeTimestampMonotonic", "good.service")
            let uptime = try box.succeed("sh", "-c", "date +%s%3N; cut -d ' ' -f 1 /proc/uptime").split(separator: "\n")
            let since = try #require(good.since)
            if let now = Int(uptime[0]), let up = Double(uptime[1]), let start = Int(started.dropLast()) {
                #expect(abs(now - Int(up * 1_000) + start / 1_000 - since) < 60_000)
            }

            // While systemd reads its files, it reports all units as unloaded; followers must not see that.
            let watch = try box.start("diffablectl", "watch", "units")
            // The feed's own subscription, which reports the deletion of its list, and this one.
            try box.waitForSubscriptions(2)
            try box.write(
                "[Unit]\nDescription=Another one\n\(Self.sleeper)", to: "/etc/systemd/system/good.service")
            try box.succeed("systemctl", "daemon-reload")
            try wait(in: box, "good.service", "description=Another one", "state=active")
            #expect(try unit("good.service", in: box).since == since)
            watch.end(with: SIGTERM)
            #expect(
                watch.output.contains("good.service") && !watch.output.contains("- good.service"), "\(watch.output)")

            // Units that start, fail and disappear.
            try box.succeed("systemd-run", "--quiet", "--unit", "nap", "sleep", "infinity")
            try wait(in: box, "nap.service", "state=active")
            try box.succeed("systemctl", "stop", "nap.service")
            try wait(in: box, "nap.service", "deleted")
            #expect(try box.status("systemctl", "start", "bad.service") == 1)
            try wait(in: box, "bad.service", "state=failed", "tint=red")

            // A flapping unit ends in its final state.
            try box.succeed("systemctl", "start", "flapping.service")
            try wait(in: box, "flapping.service", "exists")
            _ = try eventually("restarts") {
                let restarts = try box.succeed(
                    "systemctl", "show", "--value", "--property", "NRestarts", "flapping.service")
                return Int(restarts.dropLast()) ?? 0 >= 20 ? true : nil
            }
            try box.succeed("systemctl", "stop", "flapping.service")
            try wait(in: box, "flapping.service", "state=inactive")
            // A stopped unit is started from the list, and stays when it is stopped.
            try box.write(
                "[Unit]\nDescription=Late\n[Service]\nExecStart=/bin/sleep infinity\n",
                to: "/etc/systemd/system/late.service")
            try box.succeed("systemctl", "daemon-reload")
            try wait(in: box, "late.service", "state=inactive")
            try box.succeed("diffablectl", "perform", "units", "start", "late.service")
            try wait(in: box, "late.service", "state=active", "description=Late")
            try box.succeed("diffablectl", "perform", "units", "stop", "late.service")
            try wait(in: box, "late.service", "state=inactive", "description=Late")

            // Actions of root.
            let restart = try box.succeed("diffablectl", "perform", "units", "restart", "good.service")
            #expect(restart == "{\"good.service\":\"done\"}\n")
            let again = try eventually("another start") {
                let unit = try unit("good.service", in: box)
                return unit.since != since && unit.state == "active" ? unit : nil
            }
            #expect(again.since ?? 0 > since)
            let failed = try box.start("diffablectl", "perform", "units", "start", "bad.service", "good.service")
            #expect(try failed.wait() != 0)
            #expect(
                failed.complaints.contains("bad.service did not start: it failed")
                    && failed.complaints.contains("done for good.service"), "\(failed.complaints)")
            try box.succeed("diffablectl", "perform", "units", "stop", "good.service")
            try wait(in: box, "good.service", "state=inactive")

            // The mode permits Anna to ask. The feed, which is root's, performs actions for which she lacks the rights herself.
            try box.succeed(as: "anna", "diffablectl", "perform", "units", "start", "good.service")
            try wait(in: box, "good.service", "state=active")
            // Her own feed of the system's units has her rights.
            try box.write("- list: mine\n  systemd: {units: service, bus: system}\n", to: "/home/anna/feeds.yaml")
            let once = try box.succeed(
                as: "anna", "diffable-feed", "--config", "/home/anna/feeds.yaml", "--once", "mine", "--dry-run")
            #expect(once.contains("\"id\":\"dbus.service\""), "\(once)")
            let annas = try box.start(
                as: "anna", "diffable-feed", "--config", "/home/anna/feeds.yaml", "--feeds", "annas")
            try wait(for: "mine", in: box, "good.service", "state=active")
            // The list has no handler before it exists.
            let denied = try eventually("who answers for mine; \(annas.complaints)") {
                let denied = try box.start(as: "anna", "diffablectl", "perform", "mine", "stop", "good.service")
                return try denied.wait() == 9 ? nil : denied
            }
            #expect(try denied.wait() == 8, "\(denied.complaints)")
            #expect(denied.complaints.contains("whom polkit allows"), "\(denied.complaints)")
            #expect(try unit("good.service", in: box).state == "active")
            annas.end(with: SIGTERM)

            // A bus that disappears and returns.
            try box.succeed("systemctl", "restart", "dbus.service")
            try box.succeed("systemctl", "stop", "good.service")
            try wait(in: box, "good.service", "state=inactive")
            try box.succeed("systemctl", "stop", "diffable-feed.service")
            #expect(
                try box.succeed("systemctl", "show", "--value", "--property", "Result", "diffable-feed.service")
                    == "success\n")
        }

        @Test func `a user's own units are followed over the user's bus, and without one it is said what to do`() throws
        {
            guard let box = try Box() else { return }
            let anna = try box.addUser("anna", "--create-home")
            let directory = "/run/user/\(anna)"
            try box.write(
                "[Service]\nExecStart=\nExecStart=/usr/bin/install -d -o %i -m 700 /run/user/%i\nExecStop=\n",
                to: "/etc/systemd/system/user-runtime-dir@.service.d/test.conf")
            try box.write(
                "- list: units\n  systemd: {units: [service, timer]}\n", to: "/home/anna/.config/diffabled/feeds.yaml")
            try box.succeed("chown", "--recursive", "anna:", "/home/anna/.config")
            try box.write(Self.sleeper, to: "/etc/systemd/user/good.service")
            try box.succeed("systemctl", "daemon-reload")

            let lost = try box.start(
                as: "anna", "env", "HOME=/home/anna", "diffable-feed", "--once", "units", "--dry-run")
            #expect(try lost.wait() == 70)
            #expect(lost.complaints.contains("loginctl enable-linger"), "\(lost.complaints)")

            try box.succeed("systemctl", "start", "user@\(anna).service")
            func asAnna(_ command: String) throws -> String {
                try box.succeed(
                    as: "anna", "env", "HOME=/home/anna", "XDG_RUNTIME_DIR=\(directory)", "sh", "-c", command)
            }
            _ = try asAnna("systemctl --user enable --now --quiet diffabled.socket")
            _ = try asAnna("systemctl --user start diffable-feed.service good.service")
            _ = try asAnna("diffablectl wait units --for exists --timeout 110s")
            let wait = "diffablectl wait units good.service --timeout 110s --for"
            _ = try asAnna("\(wait) state=active")
            #expect(try asAnna("diffablectl perform units stop good.service") == "{\"good.service\":\"done\"}\n")
            _ = try asAnna("\(wait) state=inactive")
        }

        // MARK: - The list

        private struct ShownUnit: Decodable {
            struct Action: Decodable {
                var id: String
            }

            var text: String
            var state: String
            var since: Int?
            var load: String?
            var actions: [Action]
        }

        private func unit(_ name: String, in box: Box) throws -> ShownUnit {
            try JSONDecoder().decode(ShownUnit.self, from: Data(box.succeed("diffablectl", "get", "units", name).utf8))
        }

        private func wait(for list: String = "units", in box: Box, _ unit: String, _ conditions: String...) throws {
            let all = conditions.map { "--for '\($0)'" }.joined(separator: " ")
            // The list exists when the feed has made it.
            try box.succeed(
                "sh", "-c",
                "diffablectl wait \(list) --for exists --timeout 110s && diffablectl wait \(list) '\(unit)' \(all) --timeout 110s"
            )
        }
    }
}

extension Box {
    fileprivate func status(_ command: String...) throws -> Int32 {
        let line = command.joined(separator: " ")
        do { return try start("sh", "-c", line).wait(within: 120) } catch { throw Failure("\(line): \(error)") }
    }
}
