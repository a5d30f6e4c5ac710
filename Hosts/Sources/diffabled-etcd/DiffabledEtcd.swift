import ArgumentParser
import DiffableClient
import DiffableProtocol
import EtcdClient
import Glibc
import SharedLog
import Synchronization

/// The program that shares a daemon's lists with other hosts, through etcd.
@main
struct DiffabledEtcd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diffabled-etcd", abstract: "Share lists between hosts through etcd.",
        discussion: """
            Each host runs its own diffabled and one diffabled-etcd. Clients connect to their own daemon as before. \
            diffabled-etcd runs until it is interrupted, and reconnects to the daemon and to etcd.
              diffabled-etcd --endpoints http://10.0.0.1:2379,http://10.0.0.2:2379,http://10.0.0.3:2379
              diffabled-etcd status --endpoints http://10.0.0.1:2379

            Exit status: 0 ended by a signal; 1 not all lists were recovered; 64 usage; 69 no etcd answers (status, recover).
            """,
        version: Version.current, subcommands: [Run.self, Status.self, Recover.self], defaultSubcommand: Run.self)

    static func main() async {
        // A write to a closed socket returns an error instead of a signal.
        signal(SIGPIPE, SIG_IGN)
        await main(nil)
    }
}

/// The options for the connection to etcd.
struct EtcdOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Client URLs of the members of etcd.", valueName: "url,url"),
        transform: EtcdOptions.endpoints)
    var endpoints: [Endpoint]
    @Option(help: ArgumentHelp("Namespace in etcd; hosts share lists only within the same one.", valueName: "name"))
    var space = "default"
    @Option(help: ArgumentHelp("Client certificate for etcd (PEM).", valueName: "file")) var cert: String?
    @Option(help: ArgumentHelp("Key of the client certificate (PEM).", valueName: "file")) var key: String?
    @Option(help: ArgumentHelp("CA certificate for etcd (PEM). Default: the system's CAs.", valueName: "file"))
    var cacert: String?

    func validate() throws {
        if (cert == nil) != (key == nil) { throw ValidationError("--cert and --key have to be used together") }
        if endpoints.contains(where: \.usesTLS) != endpoints.allSatisfy(\.usesTLS) {
            throw ValidationError("--endpoints must have https for all URLs or for none")
        }
        if cert ?? cacert != nil, !endpoints.allSatisfy(\.usesTLS) {
            throw ValidationError("--cert, --key and --cacert can be used only with https URLs in --endpoints")
        }
        guard SpaceKeys.isName(space) else {
            throw ValidationError("--space must be 1 to 64 letters, digits, -, . and _, not \(space.debugDescription)")
        }
    }

    private static func endpoints(_ text: String) throws -> [Endpoint] {
        let endpoints = try text.split(separator: ",").map { endpoint in
            do { return try Endpoint(String(endpoint)) } catch { throw ValidationError("\(error)") }
        }
        if endpoints.isEmpty { throw ValidationError("--endpoints needs at least one URL") }
        return endpoints
    }

    /// - Parameter isFair: whether to begin with a random member, so that hosts use different ones.
    func client(isFair: Bool, report: @escaping @Sendable (String) -> Void = { _ in }) -> EtcdClient {
        EtcdClient(
            endpoints, ClientCertificates(certificate: cert, key: key, authority: cacert),
            prefix: SpaceKeys(space).all, first: isFair ? Int.random(in: endpoints.indices) : 0, report: report
        ) { Backoff.pause(afterFailures: $0) }
    }

    /// Runs the body with a connection to etcd. Exits with 69 if no member answers.
    func withClient<Value: Sendable>(
        _ body: @Sendable @escaping (EtcdClient) async throws -> Value
    ) async throws -> Value {
        let client = client(isFair: false)
        let patience = Duration.seconds(4 * endpoints.count)
        let value = try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask {
                await client.run()
                return nil
            }
            group.addTask {
                await client.connected()
                return await client.endpoint == nil ? nil : try await body(client)
            }
            group.addTask {
                repeat { try? await Task.sleep(for: patience) } while await client.endpoint != nil && !Task.isCancelled
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
        guard let value else {
            say("no etcd answers; check --endpoints, and that etcd runs there: \(await client.failure)")
            throw ExitCode(69)
        }
        return value
    }
}

struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Share the daemon's lists (default).")

    @OptionGroup var etcd: EtcdOptions
    @OptionGroup var daemon: DaemonOptions

    func run() async throws {
        let (path, name) = (try daemon.path(), try daemon.name())
        let said = Mutex("")
        let report: @Sendable (String) -> Void = { words in
            let isNew = said.withLock { last in
                defer { last = words }
                return last != words
            }
            if isNew { say("no etcd answers; retrying: \(words)") }
        }
        let connector = Connector(
            client: etcd.client(isFair: true, report: report), keys: SpaceKeys(etcd.space), host: name, socket: path)
        await connector.run()
    }
}

/// The options for the connection to the daemon.
struct DaemonOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The daemon's socket.", valueName: "path")) var socket: String?
    @Option(help: ArgumentHelp("Name of this host. Default: its host name.", valueName: "name"))
    var host: String?

    func validate() throws {
        if let host, !SpaceKeys.isName(host) {
            throw ValidationError("--host must be 1 to 64 letters, digits, -, . and _, not \(host.debugDescription)")
        }
    }

    func path() throws -> SocketPath {
        do { return try SocketPath.find(socket) } catch { throw ValidationError(error.sentence(socket: "--socket")) }
    }

    func name() throws -> String {
        let name = host ?? hostName()
        guard SpaceKeys.isName(name) else {
            throw ValidationError(
                "the name of this host, \(name.debugDescription), is not 1 to 64 letters, digits, -, . and _; choose a name "
                    + "with --host")
        }
        return name
    }

    private func hostName() -> String {
        var bytes = [CChar](repeating: 0, count: 256)
        guard gethostname(&bytes, bytes.count - 1) == 0 else { return "" }
        return String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

/// Writes a line to standard error, which systemd logs.
@Sendable func say(_ text: String) {
    let line = Array("diffabled-etcd: \(text.harmless)\n".utf8)
    _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
