import Diffable

/// A JSON merge patch (RFC 7396): members of the patch replace the target's, `null` removes them, objects merge.
///
/// The target keeps the order of its members and, byte for byte, whatever the patch does not name; members that are
/// new come last, in the patch's order. A patch that is no object replaces the content as a whole.
package struct MergePatch: Sendable {
    /// Compact JSON.
    package let document: [UInt8]
    let resultLengthMax: Int

    /// RFC 8259 leaves open what a member that stands twice means; in a patch it is refused.
    package struct DuplicateMember: Error {
        /// As messages show it.
        package var name: String
    }

    package init(_ value: JSONValue, resultLengthMax: Int) throws(DuplicateMember) {
        self.document = value.compacted()
        self.resultLengthMax = resultLengthMax
        let document = document
        try document.withUnsafeBufferPointer { bytes throws(DuplicateMember) in
            try Self.checkMembers(CompactValue(UnsafeRawBufferPointer(bytes)))
        }
    }

    /// From a whole text. How long the result may be is for the daemon to say.
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
            if let result, result.bytes.count > resultLengthMax {
                throw .contentTooLong(id, length: result.bytes.count, max: resultLengthMax)
            }
            return result
        }
    }

    /// O(length of both). Nil is no content.
    package func applied(to content: Content?) -> Content? {
        var writer = ByteWriter()
        writer.reserve((content?.bytes.count ?? 0) + document.count)
        document.withUnsafeBytes { patch in
            let patch = CompactValue(patch)
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

    private static func merge(_ patch: CompactValue, into target: CompactValue?, writer: inout ByteWriter) {
        guard patch.isObject else { return writer.append(patch.bytes) }
        let members = patch.members
        // Every member of the target is looked up here, so that two long objects do not cost their product.
        let places = Places(of: members)
        var isUsed = [Bool](repeating: false, count: members.count)
        writer.append(byte: UInt8(ascii: "{"))
        let start = writer.count
        // Neighbours that the patch does not name are copied in one piece, commas and all.
        var kept: Range<Int>?
        var targetMembers = target?.memberCursor()
        while let target, let member = targetMembers?.next() {
            guard let index = places[member.name] else {
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

    /// Members as they stand in their object.
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

    private static func checkMembers(_ value: CompactValue) throws(DuplicateMember) {
        guard value.isObject else { return }
        var names: Set<MemberText> = []
        for member in value.members {
            guard names.insert(member.name).inserted else {
                throw DuplicateMember(name: member.name.string.text.shown)
            }
            try checkMembers(member.value)
        }
    }
}

/// Where in a patch's object a name stands. Most patches name a few members, which are found sooner by looking than
/// by hashing.
private enum Places {
    case few([CompactValue.Member])
    case many([MemberText: Int])

    init(of members: [CompactValue.Member]) {
        self =
            members.count <= 4
            ? .few(members)
            : .many(Dictionary(uniqueKeysWithValues: members.indices.map { (members[$0].name, $0) }))
    }

    subscript(name: MemberText) -> Int? {
        switch self {
        case .few(let members): members.firstIndex { $0.name == name }
        case .many(let places): places[name]
        }
    }
}
