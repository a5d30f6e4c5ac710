import DiffableStore
import Foundation
import Logging
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import DiffableServer
@testable import diffabled

/// What `diffabled` serves, in this process: for what is not about processes, and for values that no configuration has.
final class TestServer: Serving {
    let directory: ScratchDirectory
    var socket: String { directory.file("socket") }
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let store: Store
    private let server: Server

    /// - Parameter turn: the daemon's own values unless it says otherwise.
    init(in directory: ScratchDirectory? = nil, turn: TurnLimits = TurnLimits()) throws {
        let directory = try directory ?? ScratchDirectory()
        let path = directory.file("socket")
        let startUp = try StartUp(
            flags: [.socket: path, .stateDirectory: directory.file("state")], configurationFile: nil, received: [],
            surroundings: Surroundings(userID: geteuid(), environment: ["HOME": directory.path]))
        var options = startUp.serverOptions(
            reload: { $0(.failure(ReloadError(reason: "a test's server has no configuration"))) }, onNews: { _ in })
        options.turn = turn
        // A server that makes its socket changes the process's umask meanwhile, which is everybody's.
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
    /// What is sent meanwhile is all there when the loop looks at its sockets again.
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

    /// What takes longer than a turn, and is asked for meanwhile, is begun afterwards.
    func whileNothingIsFound(_ body: () throws -> Void) rethrows {
        let (stands, isOver) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let hub = server.hub
        group.next().execute {
            let work: @Sendable () -> Void = {
                stands.signal()
                isOver.wait()
            }
            hub.value.background.find(size: 0, while: { true }, work, use: {})
        }
        stands.wait()
        defer { isOver.signal() }
        try body()
    }

    /// How many pieces of work were begun that take longer than a turn.
    var piecesBegun: Int {
        get throws { try onLoop { $0.background.piecesBegun } }
    }

    /// How many pages were made of updates that take several, beside the first of each.
    var pagesMade: Int { get throws { try onLoop { $0.pages.pagesMade } } }

    /// How many are kept for those who have not taken them.
    var pagesKept: Int { get throws { try onLoop { $0.pages.pagesKept } } }

    private func onLoop<Value: Sendable>(_ body: @escaping @Sendable (Hub) -> Value) throws -> Value {
        let hub = server.hub
        return try waitForTask { [group] in try await group.next().submit { body(hub.value) }.get() }
    }

    /// How many lines of a busy client had been taken when each of another's requests was answered. All of them are there at
    /// the beginning, so that the order is the server's alone, however seldom this thread runs: they must fit into the other's
    /// socket, about 300.
    func linesTaken(of lines: [String], besideRequests count: Int) throws -> [Int] {
        let (busy, other) = (try connect(), try connect())
        _ = try busy.reply(to: #"{"id":0,"method":"hello","params":{"name":"busy"}}"#)
        try whileLoopStands {
            try busy.send(lines.joined(separator: "\n"))
            // With much between them that nobody is answered, so that there is about one of them in a turn.
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

    /// One whose socket others can reach.
    static func forEverybody(turn: TurnLimits) throws -> TestServer {
        let directory = try ScratchDirectory()
        chmod(directory.path, 0o755)
        return try TestServer(in: directory, turn: turn)
    }
}

extension TurnLimits {
    /// A turn has no room, so that all that can be is left to the background.
    static var none: TurnLimits {
        var limits = TurnLimits()
        limits.workMax = 0
        return limits
    }

    /// In a debug build the way from the end of a turn to the sockets takes a multiple of what it takes in a release.
    static var ofDebugBuilds: TurnLimits {
        var limits = TurnLimits()
        limits.postponement = .microseconds(200)
        return limits
    }
}

/// Blocks this thread, which must be one of a test's own (`TestThreads`), until a task is done.
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
