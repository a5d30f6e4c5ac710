import Diffable
import DiffableJSON
import DiffableProtocol

/// A subscriber's copy: each update applied to the previous state, and nothing else.
struct Replay {
    private(set) var snapshot = Snapshot()
    private(set) var epoch = ""
    private(set) var revision: Int?
    /// The extent of the view's window, if it has one.
    private(set) var extent: Window.Extent?
    /// Whether the last line ended an update.
    var isWhole: Bool { staged == nil }
    /// The numbers of updates by method.
    private(set) var resets = 0
    private(set) var changes = 0
    private(set) var lines = 0
    private var staged: Snapshot?
    private var operationsStaged: [ListOperation] = []

    /// A complete update.
    struct Group {
        var cause: Cause
        var operations: [ListOperation]
        /// The state before it; empty for a reset.
        var old: Snapshot
    }

    enum Cause: Equatable, Sendable {
        case reset(reason: String)
        case changes(from: Int)
        /// The whole current state, for a subscription with snapshots.
        case snapshot
    }

    init() {}

    init(of lines: [String]) throws {
        for line in lines { try receive(line) }
    }

    /// Applies a line, and checks that it continues from the one before.
    mutating func receive(_ line: String) throws {
        let message = try Message(text: line)
        if case .changes(let group) = message, group.from != revision {
            throw Failure("changes from \(group.from) at \(revision ?? -1)")
        }
        _ = try take(message)
    }

    /// Applies a message wherever it begins; returns the update when it is complete.
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

    /// Drops an incomplete update, after a lost connection.
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

    /// Canonical JSON, with the line feed of `show --json`.
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
