import Diffable
import DiffableJSON

/// The complete state of a shared list at one position of its log, for replicas that are behind the start of the log.
///
///     {"version":2,"revision":40,"reload":12,"access":{"mode":"0640"},"operations":[…],"keys":[["9jfw2",-81,39,true,null,5000],…]}
///
/// The operations build the list from an empty one. `access` has the attributes that were set, and `leases` the leases
/// with their holders. A key has the digest of its request, the revision, whether the request changed something, the
/// counts of its summary, and its age in milliseconds of running time.
package struct SharedCheckpoint: Sendable {
    package let state: SharedState
    /// The text, split so that each piece is valid UTF-8.
    package let parts: [[UInt8]]

    static let partLengthMax = 256 << 10

    init(
        of list: ListState, at state: SharedState, access: SharedAccess, leases: Leases?,
        keys: some Collection<FirstResult>, now: RunningTime
    ) {
        var writer = ByteWriter()
        let holders = leases?.holders ?? []
        // Without leases, hosts that support only version 2 can read it.
        writer.append(holders.isEmpty ? #"{"version":2,"revision":"# : #"{"version":3,"revision":"#)
        writer.append(list.revision)
        writer.append(#","reload":"#)
        writer.append(list.lastReloadRevision)
        writer.append(#","access":"#)
        access.write(into: &writer)
        if let leases, !holders.isEmpty {
            writer.append(#","leases":"#)
            writer.appendArray(holders) { holder, writer in SharedLeaseText(holder, of: leases).write(into: &writer) }
        }
        writer.append(#","operations":"#)
        var operations = OperationsWriter(resetTo: list.snapshot)
        _ = operations.writeArray(into: &writer, upTo: .max)
        writer.append(#","keys":["#)
        for (index, result) in keys.enumerated() {
            if index > 0 { writer.append(byte: UInt8(ascii: ",")) }
            Self.append(result, to: &writer, now: now)
        }
        writer.append("]}")
        self.state = state
        parts = Self.parts(of: writer.bytes)
    }

    private static func append(_ result: FirstResult, to writer: inout ByteWriter, now: RunningTime) {
        writer.append(byte: UInt8(ascii: "["))
        writer.appendString(result.key)
        for number in [Int(result.digest), result.revision] {
            writer.append(byte: UInt8(ascii: ","))
            writer.append(number)
        }
        writer.append(result.isChanged ? ",true," : ",false,")
        if let summary = result.summary { writer.appendString(summary.countsText) } else { writer.append("null") }
        writer.append(byte: UInt8(ascii: ","))
        writer.append(now.milliseconds - result.time.milliseconds)
        writer.append(byte: UInt8(ascii: "]"))
    }

    /// Splits between characters.
    private static func parts(of text: [UInt8]) -> [[UInt8]] {
        var parts: [[UInt8]] = []
        var rest = text[...]
        while !rest.isEmpty {
            var end = min(rest.startIndex + partLengthMax, rest.endIndex)
            while end < rest.endIndex, rest[end] & 0xC0 == 0x80 { end -= 1 }
            parts.append(Array(rest[..<end]))
            rest = rest[end...]
        }
        return parts
    }
}

struct SharedCheckpointText {
    var revision = 0
    var lastReloadRevision = 0
    var snapshot = Snapshot()
    var keys: [FirstResult] = []
    /// Nil to leave it unchanged.
    var access: SharedAccess?
    var leases: [SharedLeaseText] = []

    init(_ text: [UInt8], now: RunningTime) throws {
        try text.withUnsafeBytes { bytes in
            var scanner = JSONScanner(bytes, depthMax: DecodingLimits.journal.depthMax)
            try read(from: &scanner, now: now)
        }
    }

    private mutating func read(from scanner: inout JSONScanner, now: RunningTime) throws {
        var version: Int?
        var object = try scanner.beginObject()
        while let name = try scanner.nextMember(of: &object) {
            switch name {
            case "version": version = try scanner.integer()
            case "revision": revision = try scanner.integer()
            case "reload": lastReloadRevision = try scanner.integer()
            case "access": access = try SharedAccess(from: &scanner)
            case "leases":
                var array = try scanner.beginArray()
                while try scanner.nextElement(of: &array) { leases.append(try SharedLeaseText(from: &scanner)) }
            case "operations":
                let operations = try [ListOperation](json: scanner.value().bytes, limits: .journal)
                snapshot = try Snapshot().applying(operations, limits: .none)
            case "keys":
                var array = try scanner.beginArray()
                while try scanner.nextElement(of: &array) {
                    keys.append(try Self.key(from: &scanner, number: keys.count + 1, now: now))
                }
            default: try scanner.skipValue()
            }
        }
        try scanner.end()
        try SharedBatch.check(version)
    }

    private static func key(
        from scanner: inout JSONScanner, number: Int, now: RunningTime
    ) throws -> FirstResult {
        var array = try scanner.beginArray()
        func next() throws { guard try scanner.nextElement(of: &array) else { throw scanner.unexpected(.value) } }
        try next()
        let key = try RequestKey(scanner.string().text)
        try next()
        let digest = try scanner.integer()
        try next()
        let revision = try scanner.integer()
        try next()
        let isChanged = try scanner.boolean()
        try next()
        let summary = try scanner.readNull() ? nil : DifferenceSummary(countsText: scanner.string().text)
        try next()
        let age = try scanner.integer()
        guard try !scanner.nextElement(of: &array) else { throw scanner.unexpected(.commaOrBracket) }
        return FirstResult(
            key: key, digest: Int64(digest), number: number, revision: revision, isChanged: isChanged, summary: summary,
            time: RunningTime(milliseconds: now.milliseconds - age))
    }
}
