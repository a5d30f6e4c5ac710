import Foundation
import Testing

extension Integration {
    /// The examples behave as their README.md shows.
    struct ExampleTests {
        @Test(arguments: [
            "alarms", "waybar", "status_line", "picker", "pick_keys", "gtk", "gtk_window", "gtk_tasks", "gtk_outline",
            "both_ways",
            "scores", "units", "folders",
        ])
        func `an example does what its page shows`(name: String) throws {
            let directory = try ScratchDirectory()
            let check = try Program(
                "\(Binaries.repository)/examples/check", [name],
                // Examples in Swift are built with the tests, and are not part of a release.
                environment: ["DIFFABLED_BINARIES": "\(Binaries.directory):\(Binaries.tests)"], in: directory)
            #expect(try check.wait() == 0, "\(check.complaints)\(check.output)")
            if check.output.hasPrefix("skipped") { print(check.output) }
        }

        @Test func `the timer publishes the services that run, as they come and go`() throws {
            guard let box = try Box() else { return }
            for unit in ["publish-units.service", "publish-units.timer"] {
                let text = try String(
                    contentsOfFile: "\(Binaries.repository)/examples/systemd/\(unit)", encoding: .utf8)
                try box.write(text, to: "/etc/systemd/system/\(unit)")
            }
            let verify = try box.start("systemd-analyze", "verify", "--man=no", "publish-units.timer")
            #expect(try verify.wait() == 0)
            #expect(Box.withoutNewSettings(verify.complaints) == "")
            try box.succeed("systemctl", "enable", "--now", "--quiet", "publish-units.timer")
            try box.succeed("systemd-run", "--quiet", "--unit=nap", "sleep", "infinity")
            _ = try eventually("service in the list") { try shows(box, "nap.service") ? true : nil }
            try box.succeed("systemctl", "stop", "nap.service")
            _ = try eventually("end of it") { try shows(box, "nap.service") ? nil : true }
        }

        private func shows(_ box: Box, _ item: String) throws -> Bool {
            let show = try box.start("diffablectl", "show", "units")
            return try show.wait() == 0 && show.output.contains(item)
        }
    }
}
