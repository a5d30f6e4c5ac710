import Diffable
import DiffableJSON

extension Request {
    package struct History: Sendable, Equatable {
        package var list: ListName
        /// The limit of the number of revisions; nil: all.
        package var limit: Int?
        package var freshness: Freshness

        package init(list: ListName, limit: Int? = nil, freshness: Freshness = .any) {
            self.list = list
            self.limit = limit
            self.freshness = freshness
        }
    }
}

extension Request.History: RequestParameters {
    static func read(from decoder: inout Decoder, list: inout ListName?) throws(DecodingError) -> Request {
        var limit: Int?
        var freshness = FreshnessParameters()
        try readObject(from: &decoder) { parameter, decoder throws(DecodingError) in
            switch parameter {
            case .list: list = try decoder.identifier("list")
            case .limit: limit = try decoder.wholeNumber("limit")
            case .mostRecent: freshness.isMostRecent = try decoder.boolean("mostRecent")
            case .notOlderThan: freshness.revision = try decoder.wholeNumber("notOlderThan")
            }
        }
        return .history(
            Self(list: try needed(list, .list), limit: limit, freshness: try freshness.freshness))
    }

    func write(into writer: inout ByteWriter) {
        writer.appendParameter("list", list)
        if let limit { writer.appendParameter("limit", limit) }
        writer.appendParameter(freshness)
    }
}

// MARK: - Reply

extension Reply {
    package struct History: Equatable, Sendable {
        package var start: ListRevision
        package var oldest: Int
        package var revisions: [Revision]
        /// The changes of the list's schemas, newest first. They do not make revisions.
        package var schemaChanges: [SchemaChange]

        package init(
            start: ListRevision, oldest: Int, revisions: [Revision], schemaChanges: [SchemaChange] = []
        ) {
            self.start = start
            self.oldest = oldest
            self.revisions = revisions
            self.schemaChanges = schemaChanges
        }

        package struct SchemaChange: Equatable, Sendable {
            package var revision: Int
            /// Milliseconds since 1970.
            package var time: Int
            package var numberOfKinds: Int
            package var name: String?
            package var processID: Int?
            package var userID: Int?

            package init(
                revision: Int, time: Int, numberOfKinds: Int, name: String? = nil, processID: Int? = nil,
                userID: Int? = nil
            ) {
                self.revision = revision
                self.time = time
                self.numberOfKinds = numberOfKinds
                self.name = name
                self.processID = processID
                self.userID = userID
            }
        }

        package struct Revision: Equatable, Sendable {
            package var revision: Int
            /// Milliseconds since 1970.
            package var time: Int
            package var numberOfOperations: Int
            /// The name that the client gave itself, if any.
            package var name: String?
            package var processID: Int?
            package var userID: Int?
            package var handler: ClientIdentity?
            package var undoStep: UndoStep?

            package init(
                revision: Int, time: Int, numberOfOperations: Int, name: String? = nil, processID: Int? = nil,
                userID: Int? = nil, handler: ClientIdentity? = nil, undoStep: UndoStep? = nil
            ) {
                self.revision = revision
                self.time = time
                self.numberOfOperations = numberOfOperations
                self.name = name
                self.processID = processID
                self.userID = userID
                self.handler = handler
                self.undoStep = undoStep
            }
        }
    }
}

extension Reply.History {
    var parts: ReplyParts {
        var parts = ReplyParts()
        parts.append { writer in
            start.write(into: &writer)
            writer.appendMember("oldest", oldest)
            writer.append(#","revisions":["#)
        }
        parts.append(revisions) { revision, writer in
            writer.append(#"{"revision":"#)
            writer.append(revision.revision)
            writer.appendMember("time", revision.time)
            writer.appendMember("operations", revision.numberOfOperations)
            writer.appendOrigin(revision.name, revision.processID, revision.userID)
            if let handler = revision.handler { writer.appendMember("handler", handler) }
            if let undoStep = revision.undoStep { writer.appendMember(undoStep) }
            writer.append(byte: UInt8(ascii: "}"))
        }
        parts.append { $0.append(byte: UInt8(ascii: "]")) }
        if schemaChanges.isEmpty { return parts }
        parts.append { $0.append(#","schemas":["#) }
        parts.append(schemaChanges) { change, writer in
            writer.append(#"{"revision":"#)
            writer.append(change.revision)
            writer.appendMember("time", change.time)
            writer.appendMember("kinds", change.numberOfKinds)
            writer.appendOrigin(change.name, change.processID, change.userID)
            writer.append(byte: UInt8(ascii: "}"))
        }
        parts.append { $0.append(byte: UInt8(ascii: "]")) }
        return parts
    }
}

extension ByteWriter {
    /// Writes the known parts of a client's identity.
    fileprivate mutating func appendOrigin(_ name: String?, _ processID: Int?, _ userID: Int?) {
        if let name { appendMember("name", name) }
        if let processID { appendMember("pid", processID) }
        if let userID { appendMember("uid", userID) }
    }
}

extension Reply.History: DecodableReply {
    private enum Member: UInt8, IndexedMemberName {
        case list, epoch, revision, oldest, revisions, schemas

        static let names = MemberNames(Member.self)
    }

    package init(from decoder: inout Decoder) throws(DecodingError) {
        var list: ListName?
        var epoch: String?
        var (revision, oldest): (Int?, Int?)
        var revisions: [Revision] = []
        var schemaChanges: [SchemaChange] = []
        try decoder.result(Member.self) { member, decoder throws(DecodingError) in
            switch member {
            case .list: list = try decoder.identifier("list")
            case .epoch: epoch = try decoder.string("epoch").text
            case .revision: revision = try decoder.wholeNumber("a count")
            case .oldest: oldest = try decoder.wholeNumber("a count")
            case .revisions:
                revisions = try decoder.elements("revisions") { decoder throws(DecodingError) in
                    try Revision(from: &decoder)
                }
            case .schemas:
                schemaChanges = try decoder.elements("schemas") { decoder throws(DecodingError) in
                    try SchemaChange(from: &decoder)
                }
            }
        }
        self.init(
            start: Reply.ListRevision(
                list: try Self.needed(list, "list"), epoch: try Self.needed(epoch, "epoch"),
                revision: try Self.needed(revision, "revision")),
            oldest: try Self.needed(oldest, "oldest"), revisions: revisions, schemaChanges: schemaChanges)
    }
}

extension Reply.History.Revision {
    private enum Member: UInt8, IndexedMemberName {
        case revision, time, operations, name, pid, uid, handler, undo, redo

        static let names = MemberNames(Member.self)
    }

    fileprivate init(from decoder: inout Decoder) throws(DecodingError) {
        var (revision, time, operations): (Int?, Int?, Int?)
        var name: String?
        var (processID, userID): (Int?, Int?)
        var handler: ClientIdentity?
        var undoStep: UndoStep?
        try decoder.object("a revision", Member.self) { member, decoder throws(DecodingError) in
            switch member {
            case .revision: revision = try decoder.wholeNumber("a number")
            case .time: time = try decoder.wholeNumber("a number")
            case .operations: operations = try decoder.wholeNumber("a number")
            case .name: name = try decoder.string("name").text
            case .pid: processID = try decoder.wholeNumber("a number")
            case .uid: userID = try decoder.wholeNumber("a number")
            case .handler: handler = try decoder.clientIdentity("handler")
            case .undo, .redo: undoStep = try decoder.undoStep()
            }
        }
        guard let revision, let time else {
            throw .invalid("each element of revisions needs revision and time", at: decoder.scanner.offset)
        }
        self.init(
            revision: revision, time: time, numberOfOperations: operations ?? 0, name: name, processID: processID,
            userID: userID, handler: handler, undoStep: undoStep)
    }
}

extension Reply.History.SchemaChange {
    private enum Member: UInt8, IndexedMemberName {
        case revision, time, kinds, name, pid, uid

        static let names = MemberNames(Member.self)
    }

    fileprivate init(from decoder: inout Decoder) throws(DecodingError) {
        self.init(revision: 0, time: 0, numberOfKinds: 0)
        var change = self
        try decoder.object("a change of schemas", Member.self) { member, decoder throws(DecodingError) in
            switch member {
            case .revision: change.revision = try decoder.wholeNumber("a number")
            case .time: change.time = try decoder.wholeNumber("a number")
            case .kinds: change.numberOfKinds = try decoder.wholeNumber("a number")
            case .name: change.name = try decoder.string("name").text
            case .pid: change.processID = try decoder.wholeNumber("a number")
            case .uid: change.userID = try decoder.wholeNumber("a number")
            }
        }
        self = change
    }
}
