import Diffable
import DiffableJSON

/// An error as clients get it: a stable code and name, a message with the remedy, and the affected list, section or item.
package struct WireError: Error, Equatable, Sendable {
    package var code: Code
    package var message: String
    package var reason: Reason?
    package var list: ListName?
    /// Counted from zero.
    package var operation: Int?
    package var section: SectionID?
    package var item: ItemID?
    package var revision: Int?
    package var violation: SchemaViolation?
    package var limit: Limit?
    /// Bytes from the beginning of the line.
    package var offset: Int?
    package var action: String?
    /// The number of changes that can be undone or redone.
    package var found: Int?

    package struct Limit: Equatable, Sendable {
        package var name: String
        package var max: Int

        package init(_ name: String, max: Int) {
            self.name = name
            self.max = max
        }
    }

    package struct SchemaViolation: Equatable, Sendable {
        /// The kind of the item; empty for none.
        package var kind: String
        /// The path of the value in the content: a JSON pointer, empty for the content itself.
        package var path: String
        package var keyword: String

        package init(kind: String, path: String, keyword: String) {
            self.kind = kind
            self.path = path
            self.keyword = keyword
        }
    }

    package init(
        _ code: Code, _ message: String, _ reason: Reason? = nil, list: ListName? = nil, operation: Int? = nil,
        section: SectionID? = nil, item: ItemID? = nil, revision: Int? = nil, violation: SchemaViolation? = nil,
        limit: Limit? = nil, offset: Int? = nil, action: String? = nil, found: Int? = nil
    ) {
        self.code = code
        self.message = message
        self.reason = reason
        self.list = list
        self.operation = operation
        self.section = section
        self.item = item
        self.revision = revision
        self.violation = violation
        self.limit = limit
        self.offset = offset
        self.action = action
        self.found = found
    }
}

// MARK: - From errors of reading

extension WireError {
    /// `invalid` is the code for valid JSON that violates the protocol.
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

    package static func lineTooLong(max: Int) -> WireError {
        WireError(
            .tooLarge,
            "the line is longer than \(max) bytes (lineLengthMax), and its request was not carried out; shorten it, or send a "
                + "transact, propose, apply or restore in parts: \"more\":true in all but the last, which has \"more\":false",
            limit: Limit("lineLengthMax", max: max))
    }
}

// MARK: - On the wire

extension WireError {
    /// Writes one whole line; nothing if the request had no id.
    package func write(id: RequestID, into writer: inout ByteWriter) {
        if id == .absent { return }
        writer.beginReply(id)
        writer.append(#","error":{"code":"#)
        writer.append(code.rawValue)
        writer.append(#","message":"#)
        writer.appendString(message)
        writer.append(#","data":{"name":"#)
        writer.appendString(code.name)
        if let reason { writer.appendMember("reason", reason.rawValue) }
        if let list { writer.appendMember("list", list) }
        if let operation { writer.appendMember("operation", operation) }
        if let section { writer.appendMember("section", section) }
        if let item { writer.appendMember("item", item) }
        if let revision { writer.appendMember("revision", revision) }
        if let violation {
            writer.appendMember("kind", violation.kind)
            writer.appendMember("path", violation.path)
            writer.appendMember("keyword", violation.keyword)
        }
        if let limit {
            writer.append(#","limit":"#)
            writer.appendString(limit.name)
            writer.appendMember("max", limit.max)
        }
        if let offset { writer.appendMember("offset", offset) }
        if let action { writer.appendMember("action", action) }
        if let found { writer.appendMember("found", found) }
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
