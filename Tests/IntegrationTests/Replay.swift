import Diffable
import DiffableJSON
import DiffableProtocol

/// What a subscriber makes of the lines that it received: each group applied to what it had, and nothing else.
struct Replay {
    private(set) var snapshot = Snapshot()
    private(set) var revision: Int?
    /// How many groups came, and of which method.
    private(set) var resets = 0
    private(set) var changes = 0
    private(set) var lines = 0
    private var staged: Snapshot?

    init() {}

    init(of lines: [String]) throws {
        for line in lines { try receive(line) }
    }

    mutating func receive(_ line: String) throws {
        lines += 1
        switch try message(line) {
        case .reset(let reset):
            staged = try (staged ?? Snapshot()).applying(reset.operations)
            guard reset.part == .last else { return }
            resets += 1
            complete(at: reset.revision)
        case .changes(let group):
            guard group.from == revision else { throw Failure("changes from \(group.from) at \(revision ?? -1)") }
            staged = try (staged ?? snapshot).applying(group.operations)
            guard group.part == .last else { return }
            changes += 1
            complete(at: group.revision)
        default: break
        }
    }

    private mutating func complete(at revision: Int) {
        snapshot = staged ?? snapshot
        staged = nil
        self.revision = revision
    }

    private func message(_ line: String) throws -> Message {
        try Array(line.utf8).withUnsafeBytes { try Message(line: $0) }
    }

    /// Canonical JSON, with the line feed that `show --json` ends with.
    var json: String { "\(snapshot.json)\n" }
}

extension Snapshot {
    var json: String {
        var snapshot = SnapshotWriter(self)
        var writer = ByteWriter()
        while snapshot.write(into: &writer, upTo: .max) == .more {}
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
