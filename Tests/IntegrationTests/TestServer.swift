import DiffableStore
import Foundation
import Logging
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import DiffableServer
@testable import diffabled

/// The daemon's server in this process: for tests that need no process of its own, and for values that no configuration has.
final class TestServer: Serving {
    let directory: ScratchDirectory
    var socket: String { directory.file("socket") }
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let store: Store
    private let server: Server

    /// - Parameter turn: by default the daemon's own values.
    init(in directory: ScratchDirectory? = nil, turn: IterationLimits = IterationLimits()) throws {
        let directory = try directory ?? ScratchDirectory()
        let path = directory.file("socket")
        let startUp = try StartUp(
            flags: [.socket: path, .stateDirectory: directory.file("state")], configurationFile: nil, received: [],
            processContext: ProcessContext(userID: geteuid(), environment: ["HOME": directory.path]))
        var options = startUp.serverOptions(
            reload: { $0(.failure(ReloadError(reason: "a test's server has no configuration"))) }, onNews: { _ in })
        options.turn = turn
        // A server that creates its socket changes the umask of the whole process for that time.
        options.listening = .descriptor(try UnixSocket.listen(at: path))
        chmod(path, 0o666)
        let (group, settings) = (group, options)
        (store, server) = try waitForTask {
            let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
            let store = try await Store.open(
                directory: startUp.stateDirectory, executor: EventLoopStoreExecutor(eventLoop: group.next()),
                limits: startUp.limits.store, accessRules: startUp.accessRules, logger: logger, onFailure: { _ in })
            let server = try await Server.start(
                store: store, options: settings, eventLoopGroup: group, logger: logger)
            return (store, server)
        }
        self.directory = directory
    }

    deinit {
        let (group, store, server) = (group, store, server)
        try? waitForTask {
            await server.shutDown(within: .seconds(1))
            await store.shutDown()
            try await group.shutdownGracefully()
        }
    }
}

extension TestServer {
    /// Stops the event loop while the body runs, so that everything sent during that is there when it reads its sockets again.
    func whileLoopStands(_ body: () throws -> Void) rethrows {
        let (stands, isOver) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        group.next().execute {
            stands.signal()
            isOver.wait()
        }
        stands.wait()
        defer { isOver.signal() }
        try body()
    }

    /// Stops the background while the body runs, so that long work requested during that begins afterwards.
    func whileNothingIsFound(_ body: () throws -> Void) rethrows {
        let (stands, isOver) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let hub = server.hub
        group.next().execute {
            let work: @Sendable () -> Void = {
                stands.signal()
                isOver.wait()
            }
            let user = hub.value.quota(of: geteuid()).turn
            hub.value.background.compute(for: user, size: 0, while: { true }, work, use: {})
        }
        stands.wait()
        defer { isOver.signal() }
        try body()
    }

    /// The number of pieces of background work begun.
    var piecesBegun: Int {
        get throws { try onLoop { $0.background.piecesBegun } }
    }

    /// The number of encoded pages after each update's first.
    var pagesMade: Int { get throws { try onLoop { $0.pages.pagesMade } } }

    /// The number of pages kept for clients that have not taken them.
    var pagesKept: Int { get throws { try onLoop { $0.pages.pagesKept } } }

    private func onLoop<Value: Sendable>(_ body: @escaping @Sendable (Hub) -> Value) throws -> Value {
        let hub = server.hub
        return try waitForTask { [group] in try await group.next().submit { body(hub.value) }.get() }
    }

    /// Returns, for each request of a client, the number of a busy client's lines that were processed before its answer. All
    /// requests are there at the beginning, so the order depends only on the server: they must fit into the socket, about 300.
    func linesTaken(of lines: [String], besideRequests count: Int) throws -> [Int] {
        let (busy, other) = (try connect(), try connect())
        _ = try busy.reply(to: #"{"id":0,"method":"hello","params":{"name":"busy"}}"#)
        try whileLoopStands {
            try busy.send(lines.joined(separator: "\n"))
            // Requests without answers in between, so that each iteration has about one answer.
            let between = String(repeating: #"{"method":"ping"}"# + "\n", count: 30)
            let request = between + #"{"id":1,"method":"clients"}"# + "\n"
            try other.send(Array(String(repeating: request, count: count).utf8))
        }
        return try (1...count).map { _ in
            let reply = try other.line() ?? ""
            let match = try #require(reply.firstMatch(of: /"name":"busy".*?"requests":([0-9]+)/), "\(reply)")
            // One was the greeting.
            return (Int(match.1) ?? 0) - 1
        }
    }

    /// Starts a server whose socket other users can reach.
    static func forEverybody(turn: IterationLimits = IterationLimits()) throws -> TestServer {
        let directory = try ScratchDirectory()
        chmod(directory.path, 0o755)
        return try TestServer(in: directory, turn: turn)
    }
}

extension IterationLimits {
    /// Iterations without room, so that everything possible runs in the background.
    static var none: IterationLimits {
        var limits = IterationLimits()
        limits.workMax = 0
        return limits
    }
}

/// Blocks this thread, which must belong to a test (`TestThreads`), until a task is done.
private func waitForTask<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
    let result = Mutex<Result<Value, any Error>?>(nil)
    let done = DispatchSemaphore(value: 0)
    Task.detached {
        do {
            let value = try await body()
            result.withLock { $0 = .success(value) }
        } catch { result.withLock { $0 = .failure(error) } }
        done.signal()
    }
    done.wait()
    guard let result = result.withLock({ $0 }) else { preconditionFailure("a task that is done has a result") }
    return try result.get()
}
