import DiffableProtocol
import Foundation
import Testing

extension Integration {
    /// The Debian package, of the programs that are tested.
    struct PackageTests {
        /// Where the package is, in a directory whose `tree` has it at `/srv/diffabled.deb`; lintian has no error.
        private func package(_ shared: SharedFiles, in directory: ScratchDirectory) throws -> String {
            let make = try Program(
                "\(Binaries.repository)/scripts/deb", [directory.file("deb")],
                environment: [
                    "built": Binaries.directory, "pages": shared.path, "DPKG_DEB_COMPRESSOR_TYPE": "gzip",
                    "DPKG_DEB_COMPRESSOR_LEVEL": "1",
                    // Those that are installed have the Swift libraries in them; these find them where the compiler is.
                    "shlibdeps": "--ignore-missing-info",
                    "lintian_options": "--suppress-tags custom-library-search-path",
                ], in: directory)
            guard try make.wait(within: 180) == 0 else {
                throw Failure("scripts/deb: \(make.complaints)\(make.output)")
            }
            #expect(!make.output.contains("W: "), "\(make.output)")
            let tree = directory.file("tree")
            try FileManager.default.createDirectory(atPath: "\(tree)/srv", withIntermediateDirectories: true)
            let path = try #require(make.outputLines.first { $0.contains("/diffabled_") })
            try FileManager.default.moveItem(atPath: path, toPath: "\(tree)/srv/diffabled.deb")
            return tree
        }

        @Test(.early)
        func `the package serves its first client, outlives an upgrade, and when purged leaves nothing`() throws {
            guard Binaries.areInstalled("dh", "dh_python3", "lintian"), let shared = try SharedFiles() else { return }
            let directory = try ScratchDirectory()
            let tree = try package(shared, in: directory)
            let content = directory.file("content")
            let extract = try Program(
                "/usr/bin/dpkg-deb", ["--extract", "\(tree)/srv/diffabled.deb", content], in: directory)
            #expect(try extract.wait() == 0)
            #expect(brokenLinks(ofPagesIn: "\(content)/usr/share/doc/diffabled") == [])
            try check(thePythonPackageIn: directory)
            guard let box = try Box(tree: tree) else { return }
            // A container's image often says that packages start nothing.
            try box.succeed("rm", "-f", "/usr/sbin/policy-rc.d")
            // Nobody looks for words in man pages here, and the index of all of them takes seconds each time.
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

            try box.succeed("dpkg", "--remove", "diffabled")
            #expect(try box.property("ActiveState") == "inactive")
            let kept = try files(in: box).subtracting(before)
            #expect(kept.contains("/etc/diffabled/diffabled.yaml") && kept.contains("/var/lib/diffabled/lists.sqlite"))

            try box.succeed("dpkg", "--purge", "diffabled")
            // What systemd made for the service it takes away when it comes to it.
            var left = try files(in: box).subtracting(before)
            for _ in 0..<60 where !left.isEmpty {
                sleep(1)
                left = try files(in: box).subtracting(before)
            }
            #expect(left.isEmpty, "\(left.sorted())")
            // As Debian's system users do, so that nobody else gets its number.
            #expect(try box.succeed("getent", "passwd", "diffabled").contains("nologin"))
        }

        /// The client is there beside the daemon's package, for Debian's Python.
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

        /// All that could be the package's, by name, and whatever else lies where packages put things.
        private func files(in box: Box) throws -> Set<String> {
            let found = try box.succeed(
                "find", "/etc", "/usr", "/lib", "/run", "/var", "-xdev", "(", "-path", "/run/systemd", "-o", "-path",
                "/run/log", "-o", "-path", "/var/log", "-o", "-path", "/var/cache", "-o", "-path", "/var/lib/dpkg", ")",
                "-prune", "-o", "-print")
            // Not the package's: dpkg's copies of the files that the user's lines were added to, the directories that systemd gives
            // to services and takes back later, and what any Python leaves beside a module that it reads first.
            let others = ["/var/backups/", "/var/tmp/systemd-private-", "/__pycache__"]
            return Set(found.split(separator: "\n").map(String.init)).filter { path in
                !others.contains(where: path.contains)
            }
        }
    }
}
