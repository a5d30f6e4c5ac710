import Diffable
import DiffableJSON
import DiffableProtocol

/// What a subscriber makes of the lines that it received: each group applied to what it had, and nothing else.
struct Replay {
    private(set) var snapshot = Snapshot()
    private(set) var epoch = ""
    private(set) var revision: Int?
    /// Where the view's window lies, if it has one.
    private(set) var extent: Window.Extent?
    /// Whether the last line ended a group.
    var isWhole: Bool { staged == nil }
    /// How many groups came, and of which method.
    private(set) var resets = 0
    private(set) var changes = 0
    private(set) var lines = 0
    private var staged: Snapshot?
    private var operationsStaged: [ListOperation] = []

    /// A group that is complete.
    struct Group {
        var cause: Cause
        var operations: [ListOperation]
        /// The state before it; of a reset, nothing.
        var old: Snapshot
    }

    enum Cause: Equatable, Sendable {
        case reset(reason: String)
        case changes(from: Int)
        /// All of it as it is now, from one who asked for snapshots.
        case snapshot
    }

    init() {}

    init(of lines: [String]) throws {
        for line in lines { try receive(line) }
    }

    /// Takes a line of which it is sure that it goes on where the one before ended.
    mutating func receive(_ line: String) throws {
        let message = try Message(text: line)
        if case .changes(let group) = message, group.from != revision {
            throw Failure("changes from \(group.from) at \(revision ?? -1)")
        }
        _ = try take(message)
    }

    /// Takes a message whatever it says of where it begins; gives the group when that is complete.
    mutating func take(_ message: Message) throws -> Group? {
        lines += 1
        switch message {
        case .reset(let reset):
            try stage(reset.operations, onto: Snapshot())
            guard reset.part == .last else { return nil }
            resets += 1
            epoch = reset.epoch
            extent = reset.extent
            return try complete(at: reset.revision, .reset(reason: reset.reason), from: Snapshot())
        case .changes(let group):
            try stage(group.operations, onto: snapshot)
            guard group.part == .last else { return nil }
            changes += 1
            extent = group.extent
            return try complete(at: group.revision, .changes(from: group.from), from: snapshot)
        default: return nil
        }
    }

    /// The connection is lost: a group that is not complete never was.
    mutating func forgetParts() {
        staged = nil
        operationsStaged = []
    }

    private mutating func stage(_ operations: [ListOperation], onto start: Snapshot) throws {
        staged = try (staged ?? start).applying(operations)
        operationsStaged += operations
    }

    private mutating func complete(at revision: Int, _ cause: Cause, from old: Snapshot) throws -> Group {
        if case .changes(let from) = cause, revision < from {
            throw Failure("changes from \(from) lead back to \(revision)")
        }
        let group = Group(cause: cause, operations: operationsStaged, old: old)
        snapshot = staged ?? snapshot
        forgetParts()
        self.revision = revision
        return group
    }

    /// Canonical JSON, with the line feed that `show --json` ends with.
    var json: String { "\(snapshot.json)\n" }
}

extension Message {
    init(text: String) throws {
        self = try Array(text.utf8).withUnsafeBytes { try Message(line: $0) }
    }
}

extension Snapshot {
    var json: String { String(decoding: jsonBytes, as: UTF8.self) }

    var jsonBytes: [UInt8] {
        var snapshot = TreeWriter(self)
        var writer = ByteWriter()
        while snapshot.write(into: &writer, upTo: .max) == .more {}
        return writer.bytes
    }
}
