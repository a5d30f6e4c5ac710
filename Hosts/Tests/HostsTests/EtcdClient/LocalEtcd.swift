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
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 ? getsockname(descriptor, $0, &length) : -1
            }
        }
        guard result == 0 else { throw CocoaError(.fileReadUnknown) }
        return Int(UInt16(bigEndian: address.sin_port))
    }
}

/// Runs the body with a client.
func withClient(
    _ endpoints: [Endpoint], _ certificates: ClientCertificates = ClientCertificates(),
    deadlines: EtcdClient.Deadlines = EtcdClient.Deadlines(),
    _ body: (EtcdClient) async throws -> Void
) async throws {
    let client = EtcdClient(endpoints, certificates, deadlines: deadlines) { _ in .milliseconds(50) }
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { await client.run() }
        await client.connected()
        try await body(client)
        group.cancelAll()
    }
}
