import DiffableProtocol
import Foundation
import Testing

extension Integration {
    /// The Debian packages of the tested programs.
    struct PackageTests {
        /// Builds the packages: a directory whose `srv` has `diffabled.deb`, and `diffabled-etcd.deb` if that program was built;
        /// lintian reports no error.
        private func packages(_ shared: SharedFiles, in directory: ScratchDirectory) throws -> String {
            var environment = [
                "built": Binaries.directory, "pages": shared.path, "DPKG_DEB_COMPRESSOR_TYPE": "gzip",
                "DPKG_DEB_COMPRESSOR_LEVEL": "1",
                // The packages contain the Swift libraries; the tested programs find them in the compiler's directory.
                "shlibdeps": "--ignore-missing-info",
                "lintian_options": "--suppress-tags custom-library-search-path",
            ]
            if let connector = try pagesOfConnector(in: directory) {
                environment["hosts_built"] = Binaries.connectors
                environment["hosts_pages"] = connector
            }
            let make = try Program(
                "\(Binaries.repository)/scripts/deb", [directory.file("deb")], environment: environment, in: directory)
            guard try make.wait(within: 180) == 0 else {
                throw Failure("scripts/deb: \(make.complaints)\(make.output)")
            }
            #expect(!make.output.contains("W: "), "\(make.output)")
            let tree = directory.file("tree")
            try FileManager.default.createDirectory(atPath: "\(tree)/srv", withIntermediateDirectories: true)
            let paths = make.outputLines.filter { $0.hasSuffix(".deb") }
            #expect(paths.contains { $0.contains("/diffabled-etcd_") } == (environment["hosts_built"] != nil))
            for name in ["diffabled", "diffabled-etcd"] {
                guard let path = paths.first(where: { $0.contains("/\(name)_") }) else { continue }
                try FileManager.default.moveItem(atPath: path, toPath: "\(tree)/srv/\(name).deb")
            }
            return tree
        }

        /// Returns nil, with a message, if diffabled-etcd was not built.
        private func pagesOfConnector(in directory: ScratchDirectory) throws -> String? {
            guard FileManager.default.isExecutableFile(atPath: "\(Binaries.connectors)/diffabled-etcd") else {
                print("skipped: no diffabled-etcd, which `make tests-hosts` builds")
                return nil
            }
            let pages = directory.file("connector")
            try SharedFiles.make(of: Binaries.connectors, pages, "hosts")
            return pages
        }

        @Test(.early)
        func `the package serves its first client, outlives an upgrade, and when purged leaves nothing`() throws {
            guard Binaries.areInstalled("dh", "dh_python3", "lintian"), let shared = try SharedFiles() else { return }
            let directory = try ScratchDirectory()
            let tree = try packages(shared, in: directory)
            let content = directory.file("content")
            let extract = try Program(
                "/usr/bin/dpkg-deb", ["--extract", "\(tree)/srv/diffabled.deb", content], in: directory)
            #expect(try extract.wait() == 0)
            #expect(brokenLinks(ofPagesIn: "\(content)/usr/share/doc/diffabled") == [])
            try check(thePythonPackageIn: directory)
            guard let box = try Box(tree: tree) else { return }
            // Container images often disable starting services.
            try box.succeed("rm", "-f", "/usr/sbin/policy-rc.d")
            // Rebuilding the index of all man pages takes seconds each time, and nothing here needs it.
            try box.succeed("rm", "-f", "/var/lib/man-db/auto-update")
            let before = try files(in: box)

            try box.succeed("dpkg", "--install", "/srv/diffabled.deb")
            #expect(try box.succeed("systemctl", "is-enabled", "diffabled.socket") == "enabled\n")
            #expect(try box.property("ActiveState") == "inactive", "it is the first client that starts it")
            try box.succeed("diffablectl", "create", "tasks")
            #expect(try box.property("ActiveState") == "active")

            let process = try box.property("MainPID")
            let socket = try box.succeed("stat", "--format", "%i", "/run/diffabled/diffabled.sock")
            try box.succeed("dpkg", "--install", "/srv/diffabled.deb")
            _ = try box.waitForAnotherProcess(than: process)
            #expect(try box.succeed("stat", "--format", "%i", "/run/diffabled/diffabled.sock") == socket)
            #expect(try box.succeed("diffablectl", "ls").contains("tasks"))

            if FileManager.default.fileExists(atPath: "\(tree)/srv/diffabled-etcd.deb") {
                try checkTheConnector(in: box)
            }

            let feeds = "- list: names\n  command: [cat, /etc/hostname]\n  every: 1h\n"
            try box.succeed("tee", "/etc/diffabled/feeds.yaml", input: feeds)
            try box.succeed("systemctl", "start", "diffable-feed.service")
            #expect(try box.property("ActiveState", of: "diffable-feed.service") == "active")
            try box.succeed("rm", "/etc/diffabled/feeds.yaml")

            try box.succeed("dpkg", "--remove", "diffabled")
            #expect(try box.property("ActiveState") == "inactive")
            #expect(try box.property("ActiveState", of: "diffable-feed.service") == "inactive")
            let kept = try files(in: box).subtracting(before)
            #expect(kept.contains("/etc/diffabled/diffabled.yaml") && kept.contains("/var/lib/diffabled/lists.sqlite"))

            try box.succeed("dpkg", "--purge", "diffabled")
            // systemd removes directories of the service with a delay.
            var left = try files(in: box).subtracting(before)
            for _ in 0..<60 where !left.isEmpty {
                sleep(1)
                left = try files(in: box).subtracting(before)
            }
            #expect(left.isEmpty, "\(left.sorted())")
            // As Debian's system users do, so that no other user gets its number.
            #expect(try box.succeed("getent", "passwd", "diffabled").contains("nologin"))
        }

        /// After installation it waits for the address of etcd; then it runs, even across an upgrade, until it is removed.
        private func checkTheConnector(in box: Box) throws {
            let before = try files(in: box)
            try box.succeed("dpkg", "--install", "/srv/diffabled-etcd.deb")
            let unit = "diffabled-etcd.service"
            try box.succeed("systemctl", "start", unit)
            #expect(try box.property("ConditionResult", of: unit) == "no")

            // Nothing listens there; it retries.
            try box.succeed("sh", "-c", "echo OPTIONS=--endpoints http://127.0.0.1:1 >/etc/default/diffabled-etcd")
            try box.succeed("systemctl", "start", unit)
            #expect(try box.property("ActiveState", of: unit) == "active")
            let process = try box.property("MainPID", of: unit)
            try box.succeed("dpkg", "--install", "/srv/diffabled-etcd.deb")
            #expect(try box.property("ActiveState", of: unit) == "active")
            #expect(try box.property("MainPID", of: unit) != process)

            try box.succeed("dpkg", "--purge", "diffabled-etcd")
            #expect(try box.property("ActiveState", of: unit) == "inactive")
            let left = try files(in: box).subtracting(before)
            #expect(left.isEmpty, "\(left.sorted())")
        }

        /// The client is installed with the daemon's package, for Debian's Python.
        private func check(thePythonPackageIn directory: ScratchDirectory) throws {
            let packages = try FileManager.default.contentsOfDirectory(atPath: directory.file("deb"))
            let package = try #require(packages.first { $0.hasPrefix("python3-diffable_") })
            let content = directory.file("python")
            let extract = try Program(
                "/usr/bin/dpkg-deb", ["--extract", "\(directory.file("deb"))/\(package)", content], in: directory)
            #expect(try extract.wait() == 0)
            let run = try Program(
                "/usr/bin/python3", ["-B", "-c", "import diffable; print(diffable.__version__, diffable.__file__)"],
                environment: ["PYTHONPATH": "\(content)/usr/lib/python3/dist-packages"], in: directory)
            #expect(try run.wait() == 0, "\(run.complaints)")
            #expect(run.output.hasPrefix("\(Version.current) \(content)/"))
        }

        /// Returns all files that could be the package's, by name or directory.
        private func files(in box: Box) throws -> Set<String> {
            let found = try box.succeed(
                "find", "/etc", "/usr", "/lib", "/run", "/var", "-xdev", "(", "-path", "/run/systemd", "-o", "-path",
                "/run/log", "-o", "-path", "/var/log", "-o", "-path", "/var/cache", "-o", "-path", "/var/lib/dpkg", ")",
                "-prune", "-o", "-print")
            // Other files: dpkg's copies of the files to which users were added, systemd's directories for services, and
            // Python's compiled modules.
            let others = ["/var/backups/", "/var/tmp/systemd-private-", "/__pycache__"]
            return Set(found.split(separator: "\n").map(String.init)).filter { path in
                !others.contains(where: path.contains)
            }
        }
    }
}
