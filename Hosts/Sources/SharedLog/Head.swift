import Foundation

/// The end of a list's log, or of a replica of it.
package struct Position: Hashable, Sendable, Codable {
    /// The number of the last batch, counted from 1; 0 is before the first.
    package var batch: Int
    package var revision: Int
    /// The daemon's hash of all texts up to here: logs with equal chains are equal.
    package var chain: String

    package static let beginning = Position(batch: 0, revision: 0, chain: "")

    package init(batch: Int, revision: Int, chain: String) {
        self.batch = batch
        self.revision = revision
        self.chain = chain
    }
}

/// The place of a checkpoint, from which a list can be read without the log before it.
package struct CheckpointPlace: Hashable, Sendable, Codable {
    package var position: Position
    package var parts: Int

    package init(position: Position, parts: Int) {
        self.position = position
        self.parts = parts
    }
}

/// The value of a list's `head` key. Every append compares and changes it, so it alone decides.
package struct Head: Hashable, Sendable {
    package var epoch: String
    package var position: Position
    package var checkpoint: CheckpointPlace?
    /// The first batch that is still in the log; the last plus one if there is none.
    package var oldest: Int

    package init(epoch: String, position: Position, checkpoint: CheckpointPlace? = nil, oldest: Int = 1) {
        self.epoch = epoch
        self.position = position
        self.checkpoint = checkpoint
        self.oldest = oldest
    }

    package static func beginning(of epoch: String) -> Head { Head(epoch: epoch, position: .beginning) }
}

extension Head: Codable {
    private enum CodingKeys: String, CodingKey {
        case batch, revision, chain, epoch, checkpoint, oldest
    }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        epoch = try members.decode(String.self, forKey: .epoch)
        position = try Position(from: decoder)
        checkpoint = try members.decodeIfPresent(CheckpointPlace.self, forKey: .checkpoint)
        oldest = try members.decode(Int.self, forKey: .oldest)
    }

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(epoch, forKey: .epoch)
        try position.encode(to: encoder)
        try members.encodeIfPresent(checkpoint, forKey: .checkpoint)
        try members.encode(oldest, forKey: .oldest)
    }
}

/// A head as it was read, with the revision that an append has to compare.
package struct KnownHead: Hashable, Sendable {
    package var head: Head
    package var modRevision: Int64

    package init(_ head: Head, modRevision: Int64) {
        self.head = head
        self.modRevision = modRevision
    }

    /// Returns nil if the value is not a head.
    package init?(_ stored: StoredValue) {
        guard let head = JSONText.decoded(Head.self, stored.value) else { return nil }
        self.init(head, modRevision: stored.modRevision)
    }
}

/// The value of a list's name key.
package struct ListRecord: Hashable, Sendable, Codable {
    package var id: String
    /// The list's owner and permissions, in the daemon's format, which is opaque here.
    package var access: String

    package init(id: String, access: String) {
        self.id = id
        self.access = access
    }
}

/// The members of a batch's text that are read here; the text is never rewritten.
package struct BatchFacts: Hashable, Sendable, Decodable {
    package var batch: Int
    package var after: String

    package init?(_ text: String) {
        guard let facts = JSONText.decoded(BatchFacts.self, text) else { return nil }
        self = facts
    }
}

/// JSON with members in a fixed order, so that equal values are equal texts.
package enum JSONText {
    package static func decoded<T: Decodable>(_ type: T.Type, _ text: String) -> T? {
        try? JSONDecoder().decode(type, from: Data(text.utf8))
    }

    package static func encoded(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Numbers, strings and their combinations can always be encoded.
        guard let data = try? encoder.encode(value) else { preconditionFailure("\(value) cannot be written as JSON") }
        return String(decoding: data, as: UTF8.self)
    }
}

extension JSONText {
    /// Returns the bytes of a text as a JSON string, without the quotes.
    static func length(of text: String) -> Int {
        text.utf8.reduce(0) { count, byte in
            switch byte {
            case 0x22, 0x5C: count + 2
            case ..<0x20: count + 6
            default: count + 1
            }
        }
    }
}
