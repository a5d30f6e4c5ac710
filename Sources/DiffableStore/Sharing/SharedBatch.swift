import Diffable
import DiffableJSON

/// The unit of appending to a shared list's log: rows in the order in which a daemon made them.
///
///     {"version":1,"batch":13,"after":"00f3a1b2c3d4e5f6","revision":40,"id":"x1…","host":"alpha","rows":[…]}
///
/// The id is random, so no two batches have the same text, and the chain alone shows which host's batch is in the log.
struct SharedBatch: Sendable {
    /// Starts at one.
    let number: Int
    /// The chain of the log before this batch.
    let after: SharedChain
    /// The list's revision after this batch.
    let revision: Int
    let rows: [SharedRow]

    /// Incremented when a host that does not support a new member would derive a different list. A batch states the
    /// lowest version that covers its members: 2 has access, 3 has leases.
    static let version = 3

    /// The text lacks a member, or needs a later version.
    struct Unreadable: Error, CustomStringConvertible {
        let description: String
    }

    static func text(
        version: Int, after position: SharedPosition, revision: Int, host: String, rows: ByteWriter,
        number: UInt64
    ) -> [UInt8] {
        var writer = ByteWriter()
        writer.reserve(rows.count + Self.headLengthUsual)
        writer.append(#"{"version":"#)
        writer.append(version)
        writer.append(#","batch":"#)
        writer.append(position.batch + 1)
        writer.append(#","after":"#)
        writer.appendString("\(position.chain)")
        writer.append(#","revision":"#)
        writer.append(revision)
        writer.append(#","id":"#)
        writer.appendString(String(number, radix: 36))
        writer.append(#","host":"#)
        writer.appendString(host)
        writer.append(#","rows":["#)
        writer.append(rows)
        writer.append("]}")
        return writer.bytes
    }

    private static let headLengthUsual = 256

    /// The batch number in a text, without parsing the rest. Nil if it has none.
    static func number(of text: [UInt8]) -> Int? {
        text.withUnsafeBytes { bytes in
            var scanner = JSONScanner(bytes, depthMax: DecodingLimits.journal.depthMax)
            guard var object = try? scanner.beginObject() else { return nil }
            while let name = try? scanner.nextMember(of: &object) {
                if "batch" ~= name { return try? scanner.integer() }
                guard (try? scanner.skipValue()) != nil else { return nil }
            }
            return nil
        }
    }

    init(_ text: [UInt8]) throws {
        self = try text.withUnsafeBytes { bytes in
            var scanner = JSONScanner(bytes, depthMax: DecodingLimits.journal.depthMax)
            return try SharedBatch(from: &scanner)
        }
    }

    private init(from scanner: inout JSONScanner) throws {
        var (version, number, revision): (Int?, Int?, Int?)
        var after: SharedChain?
        var rows: [SharedRow]?
        var object = try scanner.beginObject()
        while let name = try scanner.nextMember(of: &object) {
            switch name {
            case "version": version = try scanner.integer()
            case "batch": number = try scanner.integer()
            case "after": after = SharedChain(try scanner.string().text)
            case "revision": revision = try scanner.integer()
            case "rows": rows = try Self.rows(from: &scanner)
            default: try scanner.skipValue()
            }
        }
        try scanner.end()
        try Self.check(version)
        guard let number, let after, let revision, let rows else {
            throw Unreadable(description: "it lacks the member batch, after, revision or rows")
        }
        (self.number, self.after, self.revision, self.rows) = (number, after, revision, rows)
    }

    static func check(_ version: Int?) throws(Unreadable) {
        guard let version, 1...Self.version ~= version else {
            let found = version.map { "has version \($0)" } ?? "has no version"
            throw Unreadable(
                description: "it \(found), and this host knows versions up to \(Self.version): "
                    + "upgrade diffabled on this host")
        }
    }

    private static func rows(from scanner: inout JSONScanner) throws -> [SharedRow] {
        var rows: [SharedRow] = []
        var array = try scanner.beginArray()
        while try scanner.nextElement(of: &array) { rows.append(try SharedRow(from: &scanner)) }
        return rows
    }
}
