import Diffable
import DiffableClient
import DiffableJSON
import Foundation
import Synchronization
import Testing

extension Integration {
    /// A connection may end at any byte. A client that resumes afterwards reaches the right state.
    struct CutConnectionTests {
        @Test func `what a client asked whose answers cannot be sent harms nobody`() throws {
            let daemon = try Daemon()
            let client = try daemon.connect()
            client.finishReading()
            // The first request waits for its turn; the second is read when the first could not be answered.
            try client.send(
                "lists\n" + #"{"id":2,"method":"createList","params":{"list":"late","durability":"volatile"}}"#)
            #expect(try client.line() == nil)
            #expect(try daemon.connect().reply(to: "ping").contains("result"))
        }

        @Test(.early) func `a stream that is cut at any byte can be resumed`() throws {
            // The shortest possible lines, so that a reset is in parts; each of its bytes is a place to cut.
            let daemon = try Daemon(configured: "contentLengthMax: 64\nlineOutLengthMax: 8256\n")
            let length = try CutStream(on: daemon.socket, list: "whole").recordedLength()
            #expect(length > 8_500 && length < 20_000, "\(length)")
            let places = Sweep.places(0...length + 16, every: 9, of: "bytes after which a stream is cut")
            // Half of the places each.
            let socket = daemon.socket
            let halves = (0..<2).map { half in
                ClientThread("half \(half)") {
                    var stream = try CutStream(on: socket, list: "list \(half)")
                    for index in stride(from: half, to: places.count, by: 2) { try stream.cut(at: places[index]) }
                }
            }
            let deadline = ContinuousClock.now + .seconds(600)
            for half in halves { try half.wait(until: deadline) }
        }

        @Test func `a client whose connection is cut at any byte goes on by itself`() async throws {
            let daemon = try Daemon()
            let publisher = FollowedList(on: daemon)
            try await publisher.begin()
            var (start, isCut) = (0, true)
            // Until a place is beyond every connection's end.
            while isCut {
                guard start < 10_000 else { throw Failure("the stream does not end") }
                isCut = try await publisher.change(underFollowersCutAt: start..<start + 50, of: daemon)
                start += 50
            }
            #expect(start > 500, "\(start)")
            print("cut: at each of the first \(start) bytes of what a client is sent")
        }
    }
}

/// A list that clients follow through proxies. Its first item's content is always the revision.
private final class FollowedList: Sendable {
    private let client: Client
    private let revision = Mutex(0)
    /// The last revision seen through each socket.
    private let seen = Mutex<[String: Int]>([:])

    init(on daemon: Daemon) { client = Client(socket: SocketPath(daemon.socket)) }

    func begin() async throws {
        try await client.withConnection { try await $0.createList("cut", durability: .volatile) }
        let items = (0..<5).map { Item(id: .init(stringLiteral: "\($0)")) }
        try await change(.appendSections([Diffable.Section(id: "s", items: [Item(id: "revision")] + items)]))
    }

    private func change(_ operation: ListOperation) async throws {
        let next = revision.withLock { $0 + 1 }
        let content = try Content(json: "\(next)")
        let mark = ListOperation.reconfigureItems([ItemReconfiguration(id: "revision", content: content)])
        let outcome = try await client.withConnection { try await $0.transact("cut", [operation, mark]) }
        guard outcome.revision == next else { throw Failure("revision \(outcome.revision) and not \(next)") }
        revision.withLock { $0 = next }
    }

    /// Follows the list once for each place, with a connection that is cut there, and changes it four times. Returns whether any
    /// connection reached its place.
    func change(underFollowersCutAt places: Range<Int>, of daemon: Daemon) async throws -> Bool {
        let proxies = try places.map { place in
            try CuttingProxy(
                at: daemon.directory.file("cut-\(place)"), to: daemon.socket, limits: place..<place + 1, seed: 0)
        }
        defer { for proxy in proxies { proxy.close() } }
        let last = revision.withLock { $0 } + 4
        try await withThrowingTaskGroup(of: Void.self) { group in
            for proxy in proxies {
                group.addTask { try await self.follow(through: proxy.socket, until: last) }
            }
            for number in 0..<3 { try await change(.moveItem(Self.item(last + number), to: .front(of: .section("s")))) }
            _ = try await eventuallyInTask("cut at \(places)") {
                let seen = self.seen.withLock { $0 }
                return proxies.allSatisfy { $0.cuts > 0 || seen[$0.socket] == last - 1 } ? true : nil
            }
            for proxy in proxies { proxy.letEverythingThrough() }
            try await change(.moveItem(Self.item(last), to: .end(of: .section("s"))))
            try await group.waitForAll()
        }
        return proxies.contains { $0.cuts > 0 }
    }

    private static func item(_ number: Int) -> ItemID { ItemID(stringLiteral: "\(number % 5)") }

    /// Checks that each shown state is one that the list had.
    private func follow(through socket: String, until last: Int) async throws {
        let client = Client(socket: SocketPath(socket))
        var before: Int?
        for try await update in client.list("cut") {
            let snapshot = update.snapshot.untyped
            guard snapshot.item("revision")?.content?.description == "\(update.revision)", snapshot.numberOfItems == 6,
                update.revision > before ?? 0
            else { throw Failure("after \(before ?? 0), revision \(update.revision) is \(snapshot.json)") }
            before = update.revision
            seen.withLock { $0[socket] = update.revision }
            if update.revision == last { return }
        }
        throw Failure("the list ends")
    }
}

/// A list that changes while it is followed. The first item's content is always the revision.
private struct CutStream {
    private let socket: String
    private let list: String
    private let publisher: RawClient
    private var revision = 0
    /// Long ids, for many bytes and little work.
    private static let items = (0..<36).map { "\($0)-\(String(repeating: "i", count: 230))" }

    init(on socket: String, list: String) throws {
        self.socket = socket
        self.list = list
        publisher = try RawClient(connectingTo: socket)
        let create = #"{"id":1,"method":"createList","params":{"list":"\#(list)","durability":"volatile"}}"#
        _ = try publisher.reply(to: create)
        let items = Self.items.map { #"{"id":"\#($0)"}"# }.joined(separator: ",")
        try change(#"{"op":"appendSections","sections":[{"id":"s","items":[{"id":"revision"},\#(items)]}]}"#)
    }

    private mutating func change(_ operation: String) throws {
        revision += 1
        let number = #"{"op":"reconfigureItems","items":[{"id":"revision","content":\#(revision)}]}"#
        let reply = try publisher.reply(
            to: #"{"id":1,"method":"transact","params":{"list":"\#(list)","operations":[\#(operation),\#(number)]}}"#)
        guard reply.contains(#""revision":\#(revision),"changed":true"#) else { throw Failure(reply) }
    }

    /// Makes three transactions: two moves, one more move, and one at the end.
    private mutating func changeThrice() throws {
        let (one, other) = (Self.items[revision % 36], Self.items[(revision + 7) % 36])
        try change(
            #"{"op":"moveItem","item":"\#(one)","after":null,"section":"s"},{"op":"expandItems","items":["\#(other)"]}"#
        )
        try change(#"{"op":"insertItems","items":[{"id":"guest"}],"after":"\#(other)"}"#)
        try change(#"{"op":"deleteItems","items":["guest"]},{"op":"collapseItems","items":["\#(other)"]}"#)
    }

    /// Returns a client with unread lines: a reset and three transactions.
    private mutating func followed(since: Replay? = nil) throws -> RawClient {
        let client = try RawClient(connectingTo: socket)
        try client.send(request(since: since))
        // The end is written when the daemon has processed everything.
        while client.isSilent(forSeconds: 1) {}
        try changeThrice()
        return client
    }

    private func request(since replay: Replay?) -> String {
        let since = replay.flatMap { replay in
            replay.revision.map { #","since":{"epoch":"\#(replay.epoch)","revision":\#($0)}"# }
        }
        return #"{"id":1,"method":"subscribe","params":{"list":"\#(list)"\#(since ?? "")}}"#
    }

    /// Returns the bytes of a reply, a reset in parts and three updates.
    func recordedLength() throws -> Int {
        var copy = self
        let client = try RawClient(connectingTo: socket)
        try client.send(request(since: nil))
        var replay = Replay()
        var length = 0
        var lines = 0
        func read(upTo revision: Int) throws {
            while replay.revision != revision, let line = try client.line() {
                length += line.utf8.count + 1
                lines += 1
                try replay.receive(line)
            }
        }
        // The reset is complete before the list changes; otherwise, changes would be merged into one update.
        try read(upTo: copy.revision)
        try copy.changeThrice()
        try read(upTo: copy.revision)
        guard lines == 6 else { throw Failure("a reply, two parts and three changes are not \(lines) lines") }
        return length
    }

    /// Ends a connection after that many bytes, changes the list, and resumes from the received lines.
    mutating func cut(at place: Int) throws {
        let client = try followed()
        let bytes = try client.bytes(place)
        client.close()
        var replay = Replay()
        // Bytes after the last line feed are not a line.
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast() {
            try replay.receive(String(decoding: line, as: UTF8.self))
            try check(replay, at: place)
        }
        replay.forgetParts()
        let (one, other) = (Self.items[0], Self.items[3])
        try change(#"{"op":"moveItem","item":"\#(one)","section":"s"},{"op":"expandItems","items":["\#(other)"]}"#)
        let again = try RawClient(connectingTo: socket)
        try again.send(request(since: replay))
        while replay.revision != revision {
            guard let line = try again.line() else { throw Failure("cut at \(place): the second connection ends too") }
            try replay.receive(line)
            try check(replay, at: place)
        }
        try change(#"{"op":"collapseItems","items":["\#(other)"]}"#)
        while replay.revision != revision, let line = try again.line() { try replay.receive(line) }
        let told = try publisher.reply(to: #"{"id":1,"method":"snapshot","params":{"list":"\#(list)"}}"#)
        guard told.hasSuffix(#","snapshot":\#(replay.snapshot.json)}}"#) else {
            throw Failure("cut at \(place), it comes to another state at revision \(revision): \(replay.json)")
        }
    }

    /// Checks that a client shows a state of the list.
    private func check(_ replay: Replay, at place: Int) throws {
        guard let shown = replay.revision else { return }
        guard replay.snapshot.item("revision")?.content?.description == "\(shown)",
            replay.snapshot.numberOfItems == Self.items.count + (replay.snapshot.contains("guest" as ItemID) ? 2 : 1)
        else { throw Failure("cut at \(place), it shows half a transaction at revision \(shown): \(replay.json)") }
    }
}
