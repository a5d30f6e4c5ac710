import Diffable
import DiffableJSON

/// The holder of a lease in a shared list: one lease of one incarnation of the daemon on one host.
///
///     ["alpha","k3v9x1m2qp",4]
struct SharedHolder: Hashable, Sendable {
    let host: String
    /// The incarnation of the daemon.
    let life: String
    /// The number of the lease in that incarnation.
    let number: Int
}

extension SharedHolder {
    func write(into writer: inout ByteWriter) {
        writer.append(byte: UInt8(ascii: "["))
        writer.appendString(host)
        writer.append(byte: UInt8(ascii: ","))
        writer.appendString(life)
        writer.append(byte: UInt8(ascii: ","))
        writer.append(number)
        writer.append(byte: UInt8(ascii: "]"))
    }

    init(from scanner: inout JSONScanner) throws {
        var array = try scanner.beginArray()
        func next() throws { guard try scanner.nextElement(of: &array) else { throw scanner.unexpected(.value) } }
        try next()
        host = try scanner.string().text
        try next()
        life = try scanner.string().text
        try next()
        number = try scanner.integer()
        guard try !scanner.nextElement(of: &array) else { throw scanner.unexpected(.commaOrBracket) }
    }

    var text: String {
        var writer = ByteWriter()
        write(into: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Nil if the text is invalid.
    init?(_ text: String) {
        var text = text
        let read: SharedHolder? = text.withUTF8 { bytes in
            var scanner = JSONScanner(UnsafeRawBufferPointer(bytes), depthMax: 2)
            return try? SharedHolder(from: &scanner)
        }
        guard let read else { return nil }
        self = read
    }
}

extension SharedHolder: Comparable {
    static func < (one: SharedHolder, other: SharedHolder) -> Bool {
        (one.host, one.life, one.number) < (other.host, other.life, other.number)
    }
}

/// Everything that one lease owns in a shared list, as written in a checkpoint.
///
///     {"holder":["alpha","k3v9x1m2qp",4],"list":true,"sections":["s"],"items":["x","y"]}
struct SharedLeaseText {
    var holder: SharedHolder
    var isOfList = false
    var sections: [SectionID] = []
    var items: [ItemID] = []

    init(_ holder: SharedHolder, of leases: Leases) {
        self.holder = holder
        let lease = Lease.shared(holder)
        isOfList = leases.list == lease
        sections = leases.sections(of: lease)
        items = leases.items(of: lease)
    }

    func write(into writer: inout ByteWriter) {
        writer.append(#"{"holder":"#)
        holder.write(into: &writer)
        if isOfList { writer.append(#","list":true"#) }
        writer.append(#","sections":"#)
        writer.appendArray(sections) { id, writer in writer.appendString(id) }
        writer.append(#","items":"#)
        writer.appendArray(items) { id, writer in writer.appendString(id) }
        writer.append(byte: UInt8(ascii: "}"))
    }

    init(from scanner: inout JSONScanner) throws {
        var holder: SharedHolder?
        var object = try scanner.beginObject()
        while let name = try scanner.nextMember(of: &object) {
            switch name {
            case "holder": holder = try SharedHolder(from: &scanner)
            case "list": isOfList = try scanner.boolean()
            case "sections":
                var array = try scanner.beginArray()
                while try scanner.nextElement(of: &array) { sections.append(try SectionID(scanner.string().text)) }
            case "items":
                var array = try scanner.beginArray()
                while try scanner.nextElement(of: &array) { items.append(try ItemID(scanner.string().text)) }
            default: try scanner.skipValue()
            }
        }
        guard let holder else { throw SharedBatch.Unreadable(description: "one of its leases names no holder") }
        self.holder = holder
    }

    var change: LeaseChange {
        var change = LeaseChange(lease: .shared(holder))
        (change.isOfList, change.sections, change.items) = (isOfList, sections, items)
        return change
    }
}
