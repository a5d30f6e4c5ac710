import Foundation
import Testing

extension Integration {
    /// The root directory that the Containerfile makes, in namespaces as podman's without root.
    @Suite(.enabled(if: SmallFileSystem.isPossible, "needs to mount: root, or user namespaces"))
    struct ContainerTests {
        private let directory: ScratchDirectory
        private let image: String

        init() throws {
            directory = try ScratchDirectory()
            image = directory.file("image")
            let make = try Program(
                "\(Binaries.repository)/scripts/image-root", [image], environment: ["built": Binaries.directory],
                in: directory)
            guard try make.wait() == 0 else { throw Failure("scripts/image-root: \(make.complaints)") }
        }

        /// Runs a program in a container: without a network, with its own processes, and with nothing but the image.
        private func run(
            _ program: String, _ arguments: [String] = [], root: String, sharing socket: String? = nil
        ) throws -> Program {
            let mount = socket.map { #"mount --bind "\#($0)" "$0/run/diffabled" && "# } ?? ""
            let enter = #"mount -t proc proc "$0/proc" && exec chroot "$0" "$@""#
            return try Program(
                "/usr/bin/unshare",
                [
                    "--user", "--map-root-user", "--mount", "--net", "--pid", "--fork", "--kill-child", "/bin/sh", "-c",
                    mount + enter, root, "/usr/bin/\(program)",
                ] + arguments, in: directory)
        }

        @Test func `the image has no shell, serves without a network, and shares its socket with other containers`()
            throws
        {
            let files = FileManager.default.subpaths(atPath: image) ?? []
            let shells = ["/sh", "/bash", "/dash", "/busybox"]
            #expect(!files.contains { file in shells.contains { file.hasSuffix($0) } })
            let daemon = try run("diffabled", root: image)
            let socket = "\(image)/run/diffabled/diffabled.sock"
            _ = try eventually("a socket; it said: \(daemon.complaints)") {
                FileManager.default.fileExists(atPath: socket) ? () : nil
            }

            let other = directory.file("other")
            try FileManager.default.copyItem(atPath: image, toPath: other)
            for arguments in [["create", "tasks"], ["section", "add", "tasks", "s"], ["append", "tasks", "milk"]] {
                let client = try run("diffablectl", arguments, root: other, sharing: "\(image)/run/diffabled")
                #expect(try client.wait() == 0, "\(arguments): \(client.complaints)")
            }
            let host = try Program(Binaries.companion, ["--socket", socket, "show", "tasks"], in: directory)
            #expect(try host.wait() == 0 && host.output.contains("milk"), "\(host.complaints)")

            // Its lists are there after a restart.
            daemon.end(with: SIGKILL)
            let second = try run("diffabled", root: image)
            _ = try eventually("the item after a restart; it said: \(second.complaints)") {
                let shown = try Program(Binaries.companion, ["--socket", socket, "show", "tasks"], in: directory)
                return try shown.wait() == 0 && shown.output.contains("milk") ? () : nil
            }
        }
    }
}
