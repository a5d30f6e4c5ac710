import Diffable
import DiffableJSON

/// The effect of a request on a shared list, as in its log. Has everything that a journal stores, so each host can store it.
struct SharedRow: Sendable {
    /// The canonical diff. Empty for a remembered request that changed nothing.
    var operations: [ListOperation]
    var delivery = Delivery.difference
    /// In milliseconds since 1970, by the clock of the host that made the row.
    var time: Int
    var origin: Origin?
    /// Set for an undo or a redo. Earlier versions ignore it and treat the row as an ordinary change.
    var undoStep: UndoStep?
    var request: KeyedResult?
    /// Only the attributes that the request sets, so that a host that cannot resolve a name does not remove it for others.
    var access: SharedAccess?
    /// The holder of the inserted items and sections.
    var lease: SharedHolder?
    /// The holder whose lease ends. Its sections stay if they contain items of other clients.
    var endedLease: SharedHolder?

    /// A request with a key, and the data of its first reply except for the revision.
    struct KeyedResult: Sendable, Equatable {
        var key: RequestKey
        var digest: Int64
        var summary: DifferenceSummary?
    }
}

extension SharedRow {
    var version: Int {
        if lease ?? endedLease != nil { return 3 }
        return access == nil ? 1 : 2
    }

    func write(into writer: inout ByteWriter) {
        writer.append(#"{"time":"#)
        writer.append(time)
        if delivery == .reload { writer.append(#","reload":true"#) }
        if let origin {
            writer.append(#","by":"#)
            append(ClientIdentity(origin), to: &writer)
            if let handler = origin.handler {
                writer.append(#","handler":"#)
                append(handler, to: &writer)
            }
        }
        if let undoStep {
            writer.append(#","undo":"#)
            writer.append(undoStep)
        }
        if let request {
            writer.append(#","key":"#)
            writer.appendString(request.key)
            writer.append(#","digest":"#)
            writer.append(Int(request.digest))
            if let summary = request.summary {
                writer.append(#","summary":"#)
                writer.appendString(summary.countsText)
            }
        }
        if let access {
            writer.append(#","access":"#)
            access.write(into: &writer)
        }
        for (name, holder) in [("lease", lease), ("endedLease", endedLease)] {
            guard let holder else { continue }
            writer.append(byte: UInt8(ascii: ","))
            writer.appendString(name)
            writer.append(byte: UInt8(ascii: ":"))
            holder.write(into: &writer)
        }
        writer.append(#","operations":"#)
        var operations = OperationsWriter(operations)
        _ = operations.writeArray(into: &writer, upTo: .max)
        writer.append(byte: UInt8(ascii: "}"))
    }

    private func append(_ identity: ClientIdentity, to writer: inout ByteWriter) {
        writer.append(byte: UInt8(ascii: "["))
        writer.append(identity)
        writer.append(byte: UInt8(ascii: "]"))
    }

    /// Ignores unknown members. If a later version's member must not be ignored, the batch has a higher version.
    init(from scanner: inout JSONScanner) throws {
        var row = SharedRow(operations: [], time: 0)
        var by: ClientIdentity?
        var handler: ClientIdentity?
        var (key, digest, summary): (RequestKey?, Int?, DifferenceSummary?)
        var object = try scanner.beginObject()
        while let name = try scanner.nextMember(of: &object) {
            switch name {
            case "time": row.time = try scanner.integer()
            case "reload": row.delivery = try scanner.boolean() ? .reload : .difference
            case "by": by = try scanner.identity()
            case "handler": handler = try scanner.identity()
            case "undo": row.undoStep = try scanner.undoStep()
            case "key": key = try RequestKey(scanner.string().text)
            case "digest": digest = try scanner.integer()
            case "summary": summary = DifferenceSummary(countsText: try scanner.string().text)
            case "access": row.access = try SharedAccess(from: &scanner)
            case "lease": row.lease = try SharedHolder(from: &scanner)
            case "endedLease": row.endedLease = try SharedHolder(from: &scanner)
            case "operations": row.operations = try [ListOperation](json: scanner.value().bytes, limits: .journal)
            default: try scanner.skipValue()
            }
        }
        if by != nil || handler != nil {
            row.origin = Origin(name: by?.name, processID: by?.processID, userID: by?.userID, handler: handler)
        }
        if let key, let digest { row.request = KeyedResult(key: key, digest: Int64(digest), summary: summary) }
        self = row
    }
}

extension JSONScanner {
    fileprivate mutating func identity() throws(JSONError) -> ClientIdentity {
        var array = try beginArray()
        guard try nextElement(of: &array) else { throw unexpected(.value) }
        let identity = try identity(in: &array)
        guard try !nextElement(of: &array) else { throw unexpected(.commaOrBracket) }
        return identity
    }
}
