import Diffable

/// A JSON merge patch (RFC 7396): members of the patch replace the target's, `null` removes them, objects merge. The target keeps
/// the order of its members, and the bytes of all members that the patch does not name. New members are appended in the order of
/// the patch. A patch that is not an object replaces the whole content.
package struct MergePatch: Sendable {
    /// Compact JSON.
    package let document: [UInt8]
    let resultLengthMax: Int

    /// RFC 8259 does not define the meaning of a repeated member, so a patch with one is refused.
    package struct DuplicateMember: Error {
        package var name: String
    }

    package init(_ value: JSONValue, resultLengthMax: Int) throws(DuplicateMember) {
        self.document = value.compacted()
        self.resultLengthMax = resultLengthMax
        let document = document
        try document.withUnsafeBufferPointer { bytes throws(DuplicateMember) in
            // The depth was checked when the text was read.
            var scanner = JSONScanner(UnsafeRawBufferPointer(bytes), depthMax: .max)
            try Self.checkMembers(&scanner)
        }
    }

    /// Parses a whole text. The daemon checks the length of the result.
    package init(json: UnsafeRawBufferPointer) throws(JSONError) {
        var scanner = JSONScanner(json, depthMax: DecodingLimits.server.depthMax)
        let value = try scanner.value()
        try scanner.end()
        do throws(DuplicateMember) {
            try self.init(value, resultLengthMax: .max)
        } catch {
            throw JSONError(offset: 0, reason: .duplicateMember(error.name))
        }
    }

    package func itemPatch(of id: ItemID) -> ItemPatch {
        ItemPatch(id: id, document: Content(document)) { content throws(OperationError) in
            let result = self.applied(to: content)
            guard let length = excessiveLength(of: result) else { return result }
            throw .contentTooLong(id, length: length, max: resultLengthMax)
        }
    }

    package var listPatch: ListPatch {
        ListPatch(document: Content(document)) { content throws(OperationError) in
            let result = self.applied(to: content)
            guard let length = excessiveLength(of: result) else { return result }
            throw .listContentTooLong(length: length, max: resultLengthMax)
        }
    }

    /// The length of a result that is too long, in bytes; nil for any other.
    private func excessiveLength(of result: Content?) -> Int? {
        result.flatMap { $0.bytes.count > resultLengthMax ? $0.bytes.count : nil }
    }

    /// O(length of both). Nil means no content.
    package func applied(to content: Content?) -> Content? {
        var writer = ByteWriter()
        writer.reserve((content?.bytes.count ?? 0) + document.count)
        document.withUnsafeBytes { patch in
            // The depth was checked when the text was read.
            var scanner = JSONScanner(patch, depthMax: .max)
            let patch = Replacement(&scanner)
            if let content {
                content.bytes.withUnsafeBytes { Self.merge(patch, into: CompactValue($0), writer: &writer) }
            } else {
                Self.merge(patch, into: nil, writer: &writer)
            }
        }
        let result = writer.bytes
        return result == Array("null".utf8) ? nil : Content(result)
    }

    // MARK: - The algorithm of RFC 7396, section 2

    private static func merge(_ patch: Replacement, into target: CompactValue?, writer: inout ByteWriter) {
        guard let members = patch.members else { return writer.append(patch.value.bytes) }
        // Each member of the target is looked up in this index, so that two long objects do not cost the product of their lengths.
        let indexes = NameIndex(of: members.map(\.name))
        var isUsed = [Bool](repeating: false, count: members.count)
        writer.append(byte: UInt8(ascii: "{"))
        let start = writer.count
        // Adjacent members that the patch does not name are copied in one piece with their commas.
        var kept: Range<Int>?
        var targetMembers = target?.memberCursor()
        while let target, let member = targetMembers?.next() {
            guard let index = indexes[member.name] else {
                kept = (kept?.lowerBound ?? member.range.lowerBound)..<member.range.upperBound
                continue
            }
            append(kept, of: target, after: start, writer: &writer)
            kept = nil
            isUsed[index] = true
            if members[index].value.isNull { continue }
            append(member.name, after: start, writer: &writer)
            merge(members[index].value, into: member.value, writer: &writer)
        }
        if let target { append(kept, of: target, after: start, writer: &writer) }
        for (member, isUsed) in zip(members, isUsed) where !isUsed && !member.value.isNull {
            append(member.name, after: start, writer: &writer)
            merge(member.value, into: nil, writer: &writer)
        }
        writer.append(byte: UInt8(ascii: "}"))
    }

    private static func append(
        _ members: Range<Int>?, of object: CompactValue, after start: Int, writer: inout ByteWriter
    ) {
        guard let members else { return }
        if writer.count > start { writer.append(byte: UInt8(ascii: ",")) }
        writer.append(object.bytes.slice(members))
    }

    private static func append(_ name: MemberText, after start: Int, writer: inout ByteWriter) {
        if writer.count > start { writer.append(byte: UInt8(ascii: ",")) }
        writer.append(byte: UInt8(ascii: "\""))
        writer.append(name.string.bytes)
        writer.append("\":")
    }

    /// Parses the next value and all values in it that are patches themselves, in one pass.
    private static func checkMembers(_ scanner: inout JSONScanner) throws(DuplicateMember) {
        guard scanner.peek() == UInt8(ascii: "{") else {
            return checked(&scanner) { scanner throws(JSONError) in try scanner.skipValue() }
        }
        var names: [MemberText] = []
        var object = checked(&scanner) { scanner throws(JSONError) in try scanner.beginObject() }
        while let name = checked(&scanner, { scanner throws(JSONError) in try scanner.nextMember(of: &object) }) {
            names.append(MemberText(string: name))
            try checkMembers(&scanner)
        }
        if let twice = NameIndex(of: names).twice { throw DuplicateMember(name: twice.string.text.shown) }
    }
}

/// A value of a patch. It is parsed only as deep as it merges, in one pass.
private struct Replacement {
    var value: CompactValue
    /// Nil if it replaces the whole value.
    var members: [Member]?

    struct Member {
        var name: MemberText
        var value: Replacement
    }

    var isNull: Bool { value.isNull }

    init(_ scanner: inout JSONScanner) {
        let start = scanner.offset
        if scanner.peek() == UInt8(ascii: "{") {
            var members: [Member] = []
            var object = checked(&scanner) { scanner throws(JSONError) in try scanner.beginObject() }
            while let name = checked(&scanner, { scanner throws(JSONError) in try scanner.nextMember(of: &object) }) {
                members.append(Member(name: MemberText(string: name), value: Replacement(&scanner)))
            }
            self.members = members
        } else {
            checked(&scanner) { scanner throws(JSONError) in try scanner.skipValue() }
        }
        value = CompactValue(scanner.bytes.slice(start..<scanner.offset))
    }
}
