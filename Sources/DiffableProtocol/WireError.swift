import Diffable
import DiffableJSON

/// An error as clients read it: a stable code and name, a message that says what to do, and what it is about.
package struct WireError: Error, Equatable, Sendable {
    package var code: Code
    package var message: String
    package var list: ListName?
    /// Counted from zero.
    package var operation: Int?
    package var section: SectionID?
    package var item: ItemID?
    /// The list's current one.
    package var revision: Int?
    /// How the item's content does not fit.
    package var misfit: Misfit?
    package var limit: Limit?
    /// In bytes from the beginning of the line.
    package var offset: Int?

    package struct Limit: Equatable, Sendable {
        /// As in the configuration.
        package var name: String
        package var max: Int

        package init(_ name: String, max: Int) {
            self.name = name
            self.max = max
        }
    }

    package struct Misfit: Equatable, Sendable {
        /// Of the item; empty for none.
        package var kind: String
        /// Of the value, in the content: a JSON pointer, empty for the content itself.
        package var path: String
        /// Of the schema.
        package var keyword: String

        package init(kind: String, path: String, keyword: String) {
            self.kind = kind
            self.path = path
            self.keyword = keyword
        }
    }

    package init(
        _ code: Code, _ message: String, list: ListName? = nil, operation: Int? = nil, section: SectionID? = nil,
        item: ItemID? = nil, revision: Int? = nil, misfit: Misfit? = nil, limit: Limit? = nil, offset: Int? = nil
    ) {
        self.code = code
        self.message = message
        self.list = list
        self.operation = operation
        self.section = section
        self.item = item
        self.revision = revision
        self.misfit = misfit
        self.limit = limit
        self.offset = offset
    }

    /// All codes there will be, whether or not they are used yet: a code never changes its meaning.
    package enum Code: Int, Sendable, CaseIterable {
        case parseError = -32700
        case invalidRequest = -32600
        case methodNotFound = -32601
        case invalidParams = -32602
        case noSuchList = 1
        case listExists = 2
        case noSuchSection = 3
        case noSuchItem = 4
        case duplicateSection = 5
        case duplicateItem = 6
        case invalidAnchor = 7
        case ownDescendant = 8
        case revisionMismatch = 9
        case requestKeyReused = 10
        case tooLarge = 11
        case permissionDenied = 12
        case noSpace = 13
        case storageFailed = 14
        case noSuchSubscription = 15
        case noSuchRevision = 16
        case shuttingDown = 17
        case storageUnreadable = 18
        case invalidConfiguration = 19
        case noHandler = 20
        case refused = 21
        case handlerTimedOut = 22
        case handlerLost = 23
        case handlerExists = 24
        case invalidContent = 25
        case noSuchRequest = 26
        case notKept = 27
        case mirrorExists = 28
        case unreachable = 29
        case outcomeUnknown = 30
        case notAttached = 31
        case attachExists = 32
        case notForShared = 33

        package var name: String { String(describing: self) }
    }
}

// MARK: - From errors of reading

extension WireError {
    /// `invalid` is the code for a text that is JSON and does not say what it should.
    package init(_ error: DecodingError, list: ListName?, invalid: Code = .invalidParams) {
        switch error.reason {
        case .syntax(let syntax):
            self.init(.parseError, "invalid JSON: \(syntax)", offset: syntax.offset)
        case .invalid(_, let offset):
            self.init(invalid, "\(error)", list: list, operation: error.operation, offset: offset)
        case .tooLarge(let limit, let max):
            self.init(
                .tooLarge, "\(error)", list: list, operation: error.operation, limit: Limit(limit, max: max),
                offset: error.offset)
        }
    }

    /// For a line that the framer skipped.
    package static func lineTooLong(max: Int) -> WireError {
        WireError(
            .tooLarge, "the line is longer than lineLengthMax = \(max) bytes; send it in parts (\"more\":true)",
            limit: Limit("lineLengthMax", max: max))
    }
}

// MARK: - On the wire

extension WireError {
    /// One whole line; nothing if the request had no id.
    package func write(id: RequestID, into writer: inout ByteWriter) {
        if id == .absent { return }
        writer.beginReply(id)
        writer.append(#","error":{"code":"#)
        writer.append(code.rawValue)
        writer.append(#","message":"#)
        writer.appendString(message)
        writer.append(#","data":{"name":"#)
        writer.appendString(code.name)
        if let list { writer.appendMember("list", list) }
        if let operation { writer.appendMember("operation", operation) }
        if let section { writer.appendMember("section", section) }
        if let item { writer.appendMember("item", item) }
        if let revision { writer.appendMember("revision", revision) }
        if let misfit {
            writer.appendMember("kind", misfit.kind)
            writer.appendMember("path", misfit.path)
            writer.appendMember("keyword", misfit.keyword)
        }
        if let limit {
            writer.append(#","limit":"#)
            writer.appendString(limit.name)
            writer.appendMember("max", limit.max)
        }
        if let offset { writer.appendMember("offset", offset) }
        writer.append("}}}\n")
    }
}

extension ByteWriter {
    /// `,"name":number`
    mutating func appendMember(_ name: StaticString, _ number: Int) {
        appendName(name)
        append(number)
    }

    mutating func appendMember<Named>(_ name: StaticString, _ identifier: Identifier<Named>) {
        appendName(name)
        appendString(identifier)
    }

    mutating func appendMember(_ name: StaticString, _ string: String) {
        appendName(name)
        appendString(string)
    }

    private mutating func appendName(_ name: StaticString) {
        append(",\"")
        append(name)
        append("\":")
    }
}
