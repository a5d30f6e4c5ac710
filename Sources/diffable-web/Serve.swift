import ArgumentParser
import CResidentMemory
import DiffableWeb
import Files
import Glibc
import Logging
import NIOCore
import Systemd
import UnixSignals

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve browsers until a signal ends the program.",
        discussion: """
            With socket activation, the addresses are those of the socket unit, and the program ends after 30 seconds \
            without a connection.
            """)

    @Option(
        help: ArgumentHelp(
            "An address to listen on, such as 127.0.0.1:8090, [::1]:8090 or unix:PATH. Can be repeated. Default: 127.0.0.1:8090.",
            valueName: "address"))
    var listen: [String] = []
    @Option(help: ArgumentHelp("Connect to this socket of a daemon.", valueName: "path")) var socket: String?
    @OptionGroup var state: StateOptions
    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Other names of this server, besides IP addresses, localhost and the machine's name.", valueName: "name"))
    var hosts: [String] = []
    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Other sites that may use this server, such as https://example.org.", valueName: "url"))
    var origins: [String] = []
    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("Sites that may show the page in a frame.", valueName: "url"))
    var frames: [String] = []
    @Option(help: ArgumentHelp("Serve the files of this directory at /pages/.", valueName: "dir")) var pages: String?

    /// The time without connections after which an activated server ends.
    private static let idleMax = TimeAmount.seconds(30)

    func validate() throws {
        for text in listen where ListenAddress(text) == nil {
            throw ValidationError(
                "--listen \(text) is not an address; use an IP address with a port, such as 127.0.0.1:8090 or [::1]:8090, "
                    + "or unix:PATH")
        }
        for text in hosts where text.contains("/") {
            throw ValidationError("--hosts \(text) is not a name; use one such as lists.example.org")
        }
        for (option, texts) in [("--origins", origins), ("--frames", frames)] {
            for text in texts where Origin(text) == nil {
                throw ValidationError(
                    "\(option) \(text) is not an origin; use a URL without a path, such as https://example.org")
            }
        }
    }

    func run() async throws {
        let destination = LogDestination.detect()
        let logger = Logger(label: "diffable-web") { _ in
            switch destination {
            case .journal: SystemLogHandler(identifier: "diffable-web")
            case .standardError: StandardErrorLogHandler()
            }
        }
        do {
            // First, while there is only one thread: it removes variables from the environment.
            let received = try ListenDescriptor.received(.anyStream)
            // Each browser takes two descriptors.
            DescriptorLimit.raise()
            let file = LinkFile(directory: try state.directory())
            // Fails now if the file is damaged, because no browser could use it.
            _ = try file.read()
            let server = try await WebServer.start(
                addresses(received), settings: settings(file, isActivated: !received.isEmpty), logger: logger)
            try file.noteServerAddress(of: server, machine: Self.machineName)
            for address in server.addresses where !address.isLoopback {
                logger.warning(
                    "serving on \(address.hostAndPort): everybody in the network can reach it, and can read what it sends, with tokens, unless a proxy encrypts it (HTTPS)"
                )
            }
            if isatty(STDERR_FILENO) == 1 {
                let places = server.addresses.map {
                    $0.port == nil ? "unix:\($0.hostAndPort)" : "http://\($0.hostAndPort)"
                }
                write("diffable-web: serving on \(places.joined(separator: ", "))\n", to: STDERR_FILENO)
            }
            let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
            let notifier = Notifier()
            notifier.notify(.ready)
            resident_memory_release()
            await withTaskGroup(of: Void.self) { group in
                group.addTask { for await _ in signals { break } }
                group.addTask { await server.waitUntilIdle() }
                await group.next()
                notifier.notify(.stopping)
                await server.stop()
                group.cancelAll()
            }
        } catch { throw failure(error) }
    }

    private func addresses(_ received: [ListenDescriptor]) -> [ListenAddress] {
        let all = received.map { ListenAddress.descriptor($0.descriptor) } + listen.compactMap { ListenAddress($0) }
        return all.isEmpty ? [.usual] : all
    }

    private func settings(_ file: LinkFile, isActivated: Bool) throws -> WebSettings {
        var router = RequestRouter()
        let machine = Self.machineName
        // Browsers can also use the machine's name without its domain.
        let short = machine.prefix { $0 != "." }
        router.hosts = Set((hosts + [machine, String(short)]).map { $0.lowercased() })
        router.origins = origins.compactMap { Origin($0) }
        router.frames = frames
        router.hasPages = pages != nil
        var settings = WebSettings(router: router, stateDirectory: file.directory)
        settings.daemonSocket = socket
        if let pages { settings.ownPages = try UserPages(directory: pages) }
        settings.idleMax = isActivated ? Self.idleMax : nil
        return settings
    }

    private static var machineName: String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "localhost" }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self).lowercased()
    }
}
