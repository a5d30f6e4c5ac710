import Foundation
import Testing

extension Integration {
    /// `make install` and `make uninstall`, into a directory that is not the system's.
    struct InstallTests {
        private let directory: ScratchDirectory

        init() throws { directory = try ScratchDirectory() }

        private func make(_ target: String, _ variables: String...) throws -> Program {
            let make = try Program(
                "/usr/bin/make", ["-C", Binaries.repository, "-s", target] + variables, in: directory)
            _ = try make.wait(within: 240)
            return make
        }

        @Test(arguments: ["/usr", "/usr/local"])
        func `what make install put there, make uninstall takes away`(prefix: String) throws {
            guard let shared = try SharedFiles() else { return }
            let root = directory.file("root")
            let variables = ["DESTDIR=\(root)", "PREFIX=\(prefix)"]
            let install = try make(
                "install", "built=\(Binaries.directory)", "pages=\(shared.path)", variables[0], variables[1])
            #expect(install.status == 0, "\(install.complaints)")

            let installed = filePaths(below: root)
            #expect(installed.contains("etc/diffabled/diffabled.yaml"))
            for file in [
                "bin/diffabled", "bin/diffablectl", "bin/diffable-feed", "bin/diffable-web",
                "lib/systemd/system/diffabled.socket",
                "lib/systemd/user/diffabled.service", "lib/systemd/user/diffable-feed.service",
                "lib/systemd/user/diffable-web.socket", "lib/systemd/user/diffable-web.service",
                "lib/systemd/system/diffable-web@.socket", "lib/systemd/system/diffable-web@.service",
                "lib/sysusers.d/diffabled.conf", "share/man/man1/diffablectl.1",
                "share/bash-completion/completions/diffablectl", "share/doc/diffabled/docs/protocol.md",
                "share/doc/diffabled/examples/pick", "share/doc/diffabled/copyright",
            ] { #expect(installed.contains("\(prefix.dropFirst())/\(file)"), "\(file)") }
            for file in shared.all { #expect(installed.contains("\(prefix.dropFirst())/share/\(file)"), "\(file)") }
            for (unit, program) in [
                ("system/diffabled.service", "diffabled\n"), ("user/diffabled.service", "diffabled\n"),
                ("system/diffable-feed.service", "diffable-feed --config"),
                ("user/diffable-feed.service", "diffable-feed\n"), ("user/diffable-web.service", "diffable-web\n"),
                ("system/diffable-web@.service", "diffable-web --socket"),
            ] {
                let text = try String(contentsOfFile: "\(root)\(prefix)/lib/systemd/\(unit)", encoding: .utf8)
                #expect(text.contains("ExecStart=\(prefix)/bin/\(program)"))
            }

            #expect(brokenLinks(ofPagesIn: "\(root)\(prefix)/share/doc/diffabled") == [])

            let uninstall = try make("uninstall", variables[0], variables[1])
            #expect(uninstall.status == 0, "\(uninstall.complaints)")
            #expect(filePaths(below: root) == [])
            let own = (FileManager.default.subpaths(atPath: root) ?? []).filter { $0.contains("diffable") }
            #expect(own == [], "directories that are nobody else's")
        }

        @Test func `a configuration that was changed stays, also when it is installed again`() throws {
            guard let shared = try SharedFiles() else { return }
            let root = directory.file("root")
            let file = "\(root)/etc/diffabled/diffabled.yaml"
            for _ in 1...2 {
                let install = try make(
                    "install", "built=\(Binaries.directory)", "pages=\(shared.path)", "DESTDIR=\(root)", "PREFIX=/usr")
                #expect(install.status == 0, "\(install.complaints)")
                try Data("logLevel: debug\n".utf8).write(to: URL(filePath: file))
            }
            #expect(try make("uninstall", "DESTDIR=\(root)", "PREFIX=/usr").status == 0)
            #expect(filePaths(below: root) == ["etc/diffabled/diffabled.yaml"])
            #expect(try String(contentsOfFile: file, encoding: .utf8) == "logLevel: debug\n")
        }

        @Test func `make install builds nothing, and says what is missing`() throws {
            let root = directory.file("root")
            let install = try make("install", "built=\(directory.path)", "DESTDIR=\(root)")
            #expect(install.status == 2)
            #expect(install.complaints.contains("There is no \(directory.path)/diffabled yet: run make build first."))
            #expect(filePaths(below: root) == [])
        }
    }
}
