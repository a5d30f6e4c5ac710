import Diffable
import DiffableJSON

extension Request {
    package struct Lists: Sendable, Equatable {
        package var kind: Kind

        package enum Kind: Sendable {
            case existing
            /// `"actions":true`: includes the actions that handlers named.
            case existingWithActions
            /// `"deleted":true`: the lists that can be restored.
            case deleted
        }

        package init(_ kind: Kind = .existing) { self.kind = kind }
    }
}

extension Request.Lists: RequestParameters {
    static func read(from decoder: inout Decoder, list: inout ListName?) throws(DecodingError) -> Request {
        var (isOfDeleted, namesActions) = (false, false)
        try readObject(from: &decoder) { parameter, decoder throws(DecodingError) in
            switch parameter {
            case .deleted: isOfDeleted = try decoder.boolean("deleted")
            case .actions: namesActions = try decoder.boolean("actions")
            }
        }
        if isOfDeleted, namesActions {
            throw .invalidRequest("lists takes deleted or actions, not both: deleted lists have no handlers")
        }
        return .lists(Self(isOfDeleted ? .deleted : namesActions ? .existingWithActions : .existing))
    }

    func write(into writer: inout ByteWriter) {
        switch kind {
        case .existing: break
        case .existingWithActions: writer.appendParameter("actions", true)
        case .deleted: writer.appendParameter("deleted", true)
        }
    }
}

// MARK: - Reply

extension Reply {
    package struct ListSummary: Equatable, Sendable {
        package var list: ListName
        package var epoch: String
        package var revision: Int
        package var numberOfSections: Int
        package var numberOfItems: Int
        package var access: ListAccess
        package var durability: Durability
        package var handles: Set<HandlerRequestKind>
        /// The actions that handlers named; nil if none did, or if the request did not ask for them.
        package var actions: [ActionName]?
        /// Nil for an ordinary list.
        package var mirror: MirroredList?
        /// Whether the copy of a shared list is complete; nil for a list of this host alone.
        package var sharedLiveness: Liveness?
        /// The client's permissions for the list; nil for a deleted list, and in a backup.
        package var may: Set<Permission>?
        /// The list's own content, if it has one and the request asked for it.
        package var content: Content?

        package init(
            list: ListName, epoch: String, revision: Int, numberOfSections: Int, numberOfItems: Int,
            access: ListAccess, durability: Durability, handles: Set<HandlerRequestKind> = [],
            actions: [ActionName]? = nil,
            mirror: MirroredList? = nil, sharedLiveness: Liveness? = nil, may: Set<Permission>? = nil,
            content: Content? = nil
        ) {
            self.access = access
            self.list = list
            self.epoch = epoch
            self.revision = revision
            self.numberOfSections = numberOfSections
            self.numberOfItems = numberOfItems
            self.durability = durability
            self.handles = handles
            self.actions = actions
            self.mirror = mirror
            self.sharedLiveness = sharedLiveness
            self.may = may
            self.content = content
        }
    }
}

extension Reply.ListSummary {
    static func parts(_ lists: [Reply.ListSummary]) -> ReplyParts {
        var parts = ReplyParts()
        parts.append { $0.append(#""lists":["#) }
        if lists.allSatisfy({ $0.actions == nil }) {
            parts.append(lists) { list, writer in
                list.writeMembers(into: &writer)
                writer.append(byte: UInt8(ascii: "}"))
            }
        } else {
            for (index, list) in lists.enumerated() {
                parts.append { writer in
                    if index > 0 { writer.append(byte: UInt8(ascii: ",")) }
                    list.writeMembers(into: &writer)
                    if list.actions != nil { writer.append(#","actions":["#) }
                }
                if let actions = list.actions {
                    parts.append(actions) { action, writer in writer.appendString(action) }
                    parts.append { $0.append(byte: UInt8(ascii: "]")) }
                }
                parts.append { $0.append(byte: UInt8(ascii: "}")) }
            }
        }
        parts.append { $0.append(byte: UInt8(ascii: "]")) }
        return parts
    }

    /// Writes the object without its actions.
    func write(into writer: inout ByteWriter) {
        writeMembers(into: &writer)
        writer.append(byte: UInt8(ascii: "}"))
    }

    /// Writes the object without its closing brace, and without its actions.
    func writeMembers(into writer: inout ByteWriter) {
        writer.append(#"{"list":"#)
        writer.appendString(list)
        writer.appendMember("epoch", epoch)
        writer.appendMember("revision", revision)
        writer.appendMember("sections", numberOfSections)
        writer.appendMember("items", numberOfItems)
        access.writeRights(into: &writer)
        writer.appendMember("durability", durability.rawValue)
        if !handles.isEmpty {
            writer.appendParameterName("handles")
            writer.appendArray(handles)
        }
        mirror?.writeMember(into: &writer)
        sharedLiveness?.writeSharedMember(into: &writer)
        if let may { writer.appendMay(may) }
        if let content {
            writer.append(#","content":"#)
            writer.append(content.bytes)
        }
    }
}

/// A list in the reply to `lists`, including the data of a deletion.
struct ListResult: DecodableReply {
    let summary: Reply.ListSummary
    private(set) var time: Int?
    private(set) var name: String?
    private(set) var processID: Int?
    private(set) var userID: Int?

    private enum Member: UInt8, IndexedMemberName {
        case list, epoch, revision, sections, items, owner, group, mode, durability, handles, actions, mirror
        case shared, may, content, time, name, pid, uid

        static let names = MemberNames(Member.self)
    }

    init(from decoder: inout Decoder) throws(DecodingError) {
        var list: ListName?
        var epoch: String?
        var (revision, sections, items): (Int?, Int?, Int?)
        var (owner, group): (UInt32?, UInt32?)
        var mode: AccessMode?
        var durability: Durability?
        var (time, processID, userID): (Int?, Int?, Int?)
        var client: String?
        var handles: Set<HandlerRequestKind> = []
        var actions: [ActionName]?
        var mirror: Reply.MirroredList?
        var sharedLiveness: Liveness?
        var may: Set<Permission>?
        var content: Content?
        try decoder.result(Member.self) { member, decoder throws(DecodingError) in
            switch member {
            case .list: list = try decoder.identifier("list")
            case .epoch: epoch = try decoder.string("epoch").text
            case .revision: revision = try decoder.wholeNumber("a count")
            case .sections: sections = try decoder.wholeNumber("a count")
            case .items: items = try decoder.wholeNumber("a count")
            case .owner: owner = try decoder.knownUserOrGroup()
            case .group: group = try decoder.knownUserOrGroup()
            case .mode: mode = try decoder.knownAccessMode()
            case .durability: durability = Durability(rawValue: try decoder.string("durability").text)
            case .handles: handles = try decoder.handledKinds("handles")
            case .actions: actions = try decoder.actionNames()
            case .mirror: mirror = try Reply.MirroredList(from: &decoder)
            case .shared: sharedLiveness = try SharedLiveness(from: &decoder).liveness
            case .may: may = try decoder.may()
            case .content:
                let value = try decoder.scan { scanner throws(JSONError) in try scanner.value() }
                content = Content([UInt8](value.bytes))
            case .time: time = try decoder.wholeNumber("a time")
            case .name: client = try decoder.string("name").text
            case .pid: processID = try decoder.wholeNumber("a process")
            case .uid: userID = try decoder.wholeNumber("a user")
            }
        }
        (self.time, self.name, self.processID, self.userID) = (time, client, processID, userID)
        let name = try Self.needed(list, "list")
        summary = Reply.ListSummary(
            list: name, epoch: try Self.needed(epoch, "epoch"),
            revision: try Self.needed(revision, "revision"),
            numberOfSections: try Self.needed(sections, "sections"),
            numberOfItems: try Self.needed(items, "items"),
            access: Reply.ListAccess(
                list: name, owner: try Self.needed(owner, "owner"),
                group: try Self.needed(group, "group"),
                mode: try Self.needed(mode, "mode")),
            durability: try Self.needed(durability, "durability"), handles: handles, actions: actions, mirror: mirror,
            sharedLiveness: sharedLiveness, may: may, content: content)
    }
}

extension Reply.ListSummary {
    package static func all(json: [UInt8]) throws(DecodingError) -> [Reply.ListSummary] {
        try ListsResult(json: json).lists.map(\.summary)
    }
}

struct ListsResult: DecodableReply {
    private enum Member: UInt8, MemberName {
        case lists

        static func named(_ name: JSONString) -> Member? { "lists" ~= name ? .lists : nil }
    }

    var lists: [ListResult] = []

    init(from decoder: inout Decoder) throws(DecodingError) {
        var lists: [ListResult] = []
        try decoder.result(Member.self) { _, decoder throws(DecodingError) in
            lists = try decoder.elements("lists") { decoder throws(DecodingError) in
                try ListResult(from: &decoder)
            }
        }
        self.lists = lists
    }
}
