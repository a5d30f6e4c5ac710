import Diffable
import Foundation
import Testing

extension Integration {
    /// A connection may end anywhere. Whoever goes on from what it had then comes to the right state.
    struct CutConnectionTests {
        @Test func `a stream that is cut at any byte can be resumed`() throws {
            // Lines as short as they may be, so that a reset is in parts and there is a cut for each byte of it.
            let directory = try ScratchDirectory()
            let configuration = try directory.write(
                "contentLengthMax: 64\nlineOutLengthMax: 8256\n", to: "short-lines.yaml")
            let daemon = try Daemon(in: directory, configuration: configuration)
            let length = try CutStream(on: daemon.socket, list: "whole").recordedLength()
            #expect(length > 8_500 && length < 20_000, "\(length)")
            // Half of the places each.
            let socket = daemon.socket
            let halves = (0..<2).map { half in
                ClientThread("half \(half)") {
                    var stream = try CutStream(on: socket, list: "list \(half)")
                    for place in stride(from: half, through: length + 16, by: 2) { try stream.cut(at: place) }
                }
            }
            let deadline = ContinuousClock.now + .seconds(600)
            for half in halves { try half.wait(until: deadline) }
        }
    }
}

/// A list, and somebody who changes it while it is followed. The first item's content is always the revision.
private struct CutStream {
    private let socket: String
    private let list: String
    private let publisher: RawClient
    private var revision = 0
    /// Long ids, so that there are many bytes and little to do.
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

    /// Three transactions: of two items moved, of one more, and of its end.
    private mutating func changeThrice() throws {
        let (one, other) = (Self.items[revision % 36], Self.items[(revision + 7) % 36])
        try change(
            #"{"op":"moveItem","item":"\#(one)","after":null,"section":"s"},{"op":"expandItems","items":["\#(other)"]}"#
        )
        try change(#"{"op":"insertItems","items":[{"id":"guest"}],"after":"\#(other)"}"#)
        try change(#"{"op":"deleteItems","items":["guest"]},{"op":"collapseItems","items":["\#(other)"]}"#)
    }

    /// A client that subscribes, and what is there for it to read when three transactions have come after the reset.
    private mutating func followed(since: Replay? = nil) throws -> RawClient {
        let client = try RawClient(connectingTo: socket)
        try client.send(request(since: since))
        // It is written to when the daemon has come to it.
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

    /// In bytes: a reply, a reset in parts and three groups of changes.
    func recordedLength() throws -> Int {
        var copy = self
        let client = try copy.followed()
        var replay = Replay()
        var length = 0
        var lines = 0
        while replay.revision != copy.revision, let line = try client.line() {
            length += line.utf8.count + 1
            lines += 1
            try replay.receive(line)
        }
        guard lines == 6 else { throw Failure("a reply, two parts and three changes are not \(lines) lines") }
        return length
    }

    /// Ends a connection after so many bytes, changes the list, and goes on from what had come by then.
    mutating func cut(at place: Int) throws {
        let client = try followed()
        let bytes = try client.bytes(place)
        client.close()
        var replay = Replay()
        // What comes after the last line feed never was a line.
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

    /// Whether a client shows a state that the list was in.
    private func check(_ replay: Replay, at place: Int) throws {
        guard let shown = replay.revision else { return }
        guard replay.snapshot.item("revision")?.content?.description == "\(shown)",
            replay.snapshot.numberOfItems == Self.items.count + (replay.snapshot.contains("guest" as ItemID) ? 2 : 1)
        else { throw Failure("cut at \(place), it shows half a transaction at revision \(shown): \(replay.json)") }
    }
}
