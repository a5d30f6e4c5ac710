import Diffable
import DiffableJSON

/// Results as a client reads them. Members that it does not know are passed over: the daemon may be newer.

private enum ResultMember: UInt8, MemberName {
    case list, epoch, revision, subscription, changed, summary, operations, snapshot, lists
    case sections, items, durability, version, limits, capabilities
    case resumed, oldest, revisions, from, to, file, applied, needRestart
    case owner, group, mode

    private static let names = MemberNames(ResultMember.self)

    static func named(_ name: JSONString) -> ResultMember? { names.number(of: name).flatMap(Self.init(rawValue:)) }
}

enum SummaryMember: UInt8, MemberName {
    case insertedItems, deletedItems, movedItems, reconfiguredItems, reloadedItems, expandedItems, collapsedItems
    case insertedSections, deletedSections, movedSections, reloadedSections

    private static let names = MemberNames(SummaryMember.self)

    static func named(_ name: JSONString) -> SummaryMember? { names.number(of: name).flatMap(Self.init(rawValue:)) }

    var count: WritableKeyPath<DifferenceSummary, Int> {
        switch self {
        case .insertedItems: \.insertedItems
        case .deletedItems: \.deletedItems
        case .movedItems: \.movedItems
        case .reconfiguredItems: \.reconfiguredItems
        case .reloadedItems: \.reloadedItems
        case .expandedItems: \.expandedItems
        case .collapsedItems: \.collapsedItems
        case .insertedSections: \.insertedSections
        case .deletedSections: \.deletedSections
        case .movedSections: \.movedSections
        case .reloadedSections: \.reloadedSections
        }
    }
}

/// The members of any result, read in whatever order they came.
private struct ResultParts {
    var list: ListName?
    var epoch: String?
    var numbers: [ResultMember: Int] = [:]
    var isChanged: Bool?
    var file: String?
    var appliedSettings: [String] = []
    var needRestart: [String] = []
    var isResumed: Bool?
    var revisions: [Reply.History.Revision] = []
    var summary: DifferenceSummary?
    var operations: [Operation]?
    var snapshot: (sections: [Section], bytes: [UInt8])?
    var lists: [Reply.ListSummary] = []
    var durability: Request.Durability?
    var mode: AccessMode?
    var version: String?
    var limits: [WireError.Limit] = []
    var capabilities: [String] = []

    init(_ json: [UInt8], limits: DecodingLimits) throws(DecodingError) {
        self = try json.withUnsafeBufferPointer { bytes throws(DecodingError) in
            var decoder = Decoder(UnsafeRawBufferPointer(bytes), limits: limits)
            let parts = try ResultParts(from: &decoder)
            try decoder.end()
            return parts
        }
    }

    init(from decoder: inout Decoder) throws(DecodingError) {
        var parts = ResultParts()
        try decoder.object("a result", ResultMember.self) { member, decoder throws(DecodingError) in
            switch member {
            case .list: parts.list = try decoder.identifier("list")
            case .epoch: parts.epoch = try decoder.string("epoch").text
            case .changed: parts.isChanged = try decoder.boolean("changed")
            case .applied: parts.appliedSettings = try decoder.names("applied")
            case .needRestart: parts.needRestart = try decoder.names("needRestart")
            case .file: parts.file = try decoder.string("file").text
            case .resumed: parts.isResumed = try decoder.boolean("resumed")
            case .revisions:
                parts.revisions = try decoder.elements("revisions") { decoder throws(DecodingError) in
                    try Reply.History.Revision(from: &decoder)
                }
            case .summary: parts.summary = try decoder.summary()
            case .operations: parts.operations = try decoder.operations()
            case .snapshot: parts.snapshot = try decoder.snapshotWithBytes()
            case .lists:
                parts.lists = try decoder.elements("lists") { decoder throws(DecodingError) in
                    try Reply.ListSummary(ResultParts(from: &decoder))
                }
            case .durability: parts.durability = Request.Durability(rawValue: try decoder.string("durability").text)
            case .mode:
                let text = try decoder.string("mode").text
                parts.mode = try? AccessMode(octal: text)
            case .version: parts.version = try decoder.string("version").text
            case .limits: parts.limits = try decoder.limitTable()
            case .capabilities:
                parts.capabilities = try decoder.names("capabilities")
            case .revision, .subscription, .sections, .items, .oldest, .from, .to, .owner, .group:
                parts.numbers[member] = try decoder.wholeNumber("a count")
            }
        }
        self = parts
    }

    private init() {}

    func needed<Value>(_ value: Value?, _ name: StaticString) throws(DecodingError) -> Value {
        guard let value else { throw .invalid("the result needs \(name)", at: 0) }
        return value
    }

    func number(_ member: ResultMember) throws(DecodingError) -> Int {
        guard let number = numbers[member] else { throw .invalid("the result needs \(member.name)", at: 0) }
        return number
    }
}

extension Decoder {
    fileprivate mutating func names(_ what: StaticString) throws(DecodingError) -> [String] {
        try elements(what) { decoder throws(DecodingError) in try decoder.string("a name").text }
    }

    fileprivate mutating func summary() throws(DecodingError) -> DifferenceSummary {
        var summary = DifferenceSummary([], from: Snapshot(), to: Snapshot())
        try object("summary", SummaryMember.self) { member, decoder throws(DecodingError) in
            summary[keyPath: member.count] = try decoder.wholeNumber("a count")
        }
        return summary
    }

    fileprivate mutating func snapshotWithBytes() throws(DecodingError) -> (sections: [Section], bytes: [UInt8]) {
        _ = scanner.peek()
        let start = scanner.offset
        let sections = try snapshot()
        return (sections, [UInt8](scanner.bytes[start..<scanner.offset]))
    }

    fileprivate mutating func limitTable() throws(DecodingError) -> [WireError.Limit] {
        guard scanner.peek() == UInt8(ascii: "{") else { throw unexpected("limits", "an object") }
        var limits: [WireError.Limit] = []
        var object = try scan { scanner throws(JSONError) in try scanner.beginObject() }
        while let name = try scan({ scanner throws(JSONError) in try scanner.nextMember(of: &object) }) {
            limits.append(WireError.Limit(name.text, max: try wholeNumber("a limit")))
        }
        return limits
    }
}

// MARK: - The results

extension Reply.Hello {
    package init(json: [UInt8]) throws(DecodingError) {
        let parts = try ResultParts(json, limits: .client)
        self.init(
            version: try parts.needed(parts.version, "version"), epoch: try parts.needed(parts.epoch, "epoch"),
            limits: parts.limits, capabilities: parts.capabilities)
    }
}

extension Reply.Reload {
    package init(json: [UInt8]) throws(DecodingError) {
        let parts = try ResultParts(json, limits: .client)
        self.init(file: parts.file, applied: parts.appliedSettings, needRestart: parts.needRestart)
    }
}

extension Reply.ListSummary {
    fileprivate init(_ parts: ResultParts) throws(DecodingError) {
        self.init(
            list: try parts.needed(parts.list, "list"), epoch: try parts.needed(parts.epoch, "epoch"),
            revision: try parts.number(.revision), numberOfSections: try parts.number(.sections),
            numberOfItems: try parts.number(.items), access: try Reply.ListAccess(parts),
            durability: try parts.needed(parts.durability, "durability"))
    }

    /// From the reply to `lists`.
    package static func all(json: [UInt8]) throws(DecodingError) -> [Reply.ListSummary] {
        try ResultParts(json, limits: .client).lists
    }
}

extension Reply.ListAccess {
    fileprivate init(_ parts: ResultParts) throws(DecodingError) {
        self.init(
            list: try parts.needed(parts.list, "list"), owner: UInt32(truncatingIfNeeded: try parts.number(.owner)),
            group: UInt32(truncatingIfNeeded: try parts.number(.group)), mode: try parts.needed(parts.mode, "mode"))
    }

    package init(json: [UInt8]) throws(DecodingError) {
        try self.init(ResultParts(json, limits: .client))
    }
}

extension Reply.ListRevision {
    fileprivate init(_ parts: ResultParts) throws(DecodingError) {
        self.init(
            list: try parts.needed(parts.list, "list"), epoch: try parts.needed(parts.epoch, "epoch"),
            revision: try parts.number(.revision))
    }
}

extension Reply.Change {
    package init(json: [UInt8]) throws(DecodingError) {
        let parts = try ResultParts(json, limits: .client)
        self.init(
            list: try parts.needed(parts.list, "list"), revision: parts.numbers[.revision],
            isChanged: parts.isChanged, summary: parts.summary,
            operations: parts.operations)
    }
}

extension Reply.Subscribe {
    package init(json: [UInt8]) throws(DecodingError) {
        let parts = try ResultParts(json, limits: .client)
        self.init(
            subscription: try parts.number(.subscription), list: try parts.needed(parts.list, "list"),
            start: parts.epoch == nil ? nil : try Reply.ListRevision(parts), isResumed: parts.isResumed)
    }
}

extension Reply.History {
    package init(json: [UInt8]) throws(DecodingError) {
        let parts = try ResultParts(json, limits: .client)
        self.init(
            start: try Reply.ListRevision(parts), oldest: try parts.number(.oldest), revisions: parts.revisions)
    }
}

private enum RevisionMember: UInt8, MemberName {
    case revision, time, operations, name, pid, uid

    private static let names = MemberNames(RevisionMember.self)

    static func named(_ name: JSONString) -> RevisionMember? { names.number(of: name).flatMap(Self.init(rawValue:)) }
}

extension Reply.History.Revision {
    fileprivate init(from decoder: inout Decoder) throws(DecodingError) {
        var numbers: [RevisionMember: Int] = [:]
        var name: String?
        try decoder.object("a revision", RevisionMember.self) { member, decoder throws(DecodingError) in
            if member == .name {
                name = try decoder.string("name").text
            } else {
                numbers[member] = try decoder.wholeNumber("a number")
            }
        }
        guard let revision = numbers[.revision], let time = numbers[.time] else {
            throw .invalid("a revision has its number and its time", at: decoder.scanner.offset)
        }
        self.init(
            revision: revision, time: time, numberOfOperations: numbers[.operations] ?? 0, name: name,
            processID: numbers[.pid], userID: numbers[.uid])
    }
}

extension Reply.Difference {
    package init(json: [UInt8]) throws(DecodingError) {
        let parts = try ResultParts(json, limits: .client)
        self.init(
            list: try parts.needed(parts.list, "list"), epoch: try parts.needed(parts.epoch, "epoch"),
            from: try parts.number(.from), to: try parts.number(.to),
            operations: try parts.needed(parts.operations, "operations"))
    }
}

/// The reply to `snapshot`, as a client reads it.
package struct SnapshotResult: Sendable {
    package var start: Reply.ListRevision
    package var sections: [Section]
    /// The snapshot as it came: canonical JSON.
    package var bytes: [UInt8]

    package init(json: [UInt8]) throws(DecodingError) {
        let parts = try ResultParts(json, limits: .client)
        self.start = try Reply.ListRevision(parts)
        (self.sections, self.bytes) = try parts.needed(parts.snapshot, "snapshot")
    }
}
