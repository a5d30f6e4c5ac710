import EtcdClient
import Foundation
import Glibc

/// An etcd of one member on the loopback interface, in its own directory, which ends with the test.
final class LocalEtcd {
    static let path = "/usr/bin/etcd"
    static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: path) }

    let directory: String
    let port: Int
    private let peerPort: Int
    private var process: Process
    private let options: [String]
    private let scheme: String

    /// - Parameter options: additional options.
    init(scheme: String = "http", _ options: [String] = []) throws {
        (self.scheme, self.options) = (scheme, options)
        directory = NSTemporaryDirectory() + "etcd-\(UUID().uuidString)"
        (port, peerPort) = (try Self.freePort(), try Self.freePort())
        process = Process()
        try start()
    }

    /// Starts three members of one cluster.
    static func cluster(_ options: [String]) throws -> [LocalEtcd] {
        let urls = try (0..<3).map { _ in "http://127.0.0.1:\(try freePort())" }
        let all = urls.enumerated().map { "m\($0)=\($1)" }.joined(separator: ",")
        return try urls.enumerated().map { number, url in
            // The last of two equal options counts.
            try LocalEtcd(
                options + [
                    "--name", "m\(number)", "--listen-peer-urls", url, "--initial-advertise-peer-urls", url,
                    "--initial-cluster", all,
                ])
        }
    }

    func start() throws {
        process = Process()
        process.executableURL = URL(fileURLWithPath: Self.path)
        process.arguments =
            [
                "--data-dir", directory, "--listen-client-urls", "\(scheme)://127.0.0.1:\(port)",
                "--advertise-client-urls", "\(scheme)://127.0.0.1:\(port)", "--listen-peer-urls",
                "http://127.0.0.1:\(peerPort)",
                "--initial-advertise-peer-urls", "http://127.0.0.1:\(peerPort)",
                "--initial-cluster", "default=http://127.0.0.1:\(peerPort)", "--log-level", "error",
            ] + options
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
    }

    /// Kills it, as in a crash.
    func kill() {
        Glibc.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    deinit {
        kill()
        try? FileManager.default.removeItem(atPath: directory)
    }

    var endpoint: Endpoint { get throws { try Endpoint("\(scheme)://127.0.0.1:\(port)") } }

    /// Returns a port on which no program listens now.
    static func freePort() throws -> Int {
        let (descriptor, port) = try boundSocket()
        close(descriptor)
        return port
    }

    /// Returns a TCP socket, which the caller closes, and its port.
    static func boundSocket() throws -> (descriptor: Int32, port: Int) {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 ? getsockname(descriptor, $0, &length) : -1
            }
        }
        guard result == 0 else {
            close(descriptor)
            throw CocoaError(.fileReadUnknown)
        }
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }
}

/// Runs the commands of a section of docs/shared-lists.md with etcdctl.
enum AdministratorCommands {
    static var canRun: Bool { FileManager.default.isExecutableFile(atPath: "/usr/bin/etcdctl") }

    static func of(_ heading: String) throws -> String {
        let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(
            path: "../../../../docs/shared-lists.md")
        let sections = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "\n## ")
        guard let section = sections.first(where: { $0.hasPrefix(heading + "\n") }) else {
            throw CocoaError(.fileReadUnknown)
        }
        return section.split(separator: "\n").filter { $0.hasPrefix("$ ") }.map { $0.dropFirst(2) }
            .joined(separator: "\n")
    }

    /// Returns the standard output and error, and whether all commands succeeded.
    static func run(_ script: String, _ environment: [String: String]) throws -> (text: String, isDone: Bool) {
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["-e", "-o", "pipefail", "-c", script]
        process.environment = environment.merging(["PATH": "/usr/bin:/bin", "ETCDCTL_API": "3"]) { first, _ in first }
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (text, process.terminationStatus == 0)
    }
}

/// Returns what a client reports while it cannot connect, or nil if it says nothing that fits.
func report(
    of endpoint: Endpoint, _ certificates: ClientCertificates = ClientCertificates(), prefix: String = "/diffabled/",
    fits: (String) -> Bool
) async -> String? {
    var deadlines = EtcdClient.Deadlines()
    deadlines.greeting = .milliseconds(1_500)
    let (reports, report) = AsyncStream.makeStream(of: String.self)
    let client = EtcdClient([endpoint], certificates, prefix: prefix, deadlines: deadlines) {
        report.yield($0)
    } pause: { _ in
        .milliseconds(50)
    }
    return await withTaskGroup(of: Void.self) { group in
        group.addTask { await client.run() }
        defer { group.cancelAll() }
        // etcd may not listen yet at the first attempt.
        for await words in reports.prefix(12) where fits(words) { return words }
        return nil
    }
}

/// Runs the body with a client.
func withClient(
    _ endpoints: [Endpoint], _ certificates: ClientCertificates = ClientCertificates(),
    prefix: String = "/diffabled/", deadlines: EtcdClient.Deadlines = EtcdClient.Deadlines(),
    _ body: (EtcdClient) async throws -> Void
) async throws {
    let client = EtcdClient(endpoints, certificates, prefix: prefix, deadlines: deadlines) { _ in .milliseconds(50) }
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { await client.run() }
        await client.connected()
        try await body(client)
        group.cancelAll()
    }
}
