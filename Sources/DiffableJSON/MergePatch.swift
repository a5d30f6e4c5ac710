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
        return writer.bytes == Array("null".utf8) ? nil : Content(writer.bytes)
    }

    // MARK: - The algorithm of RFC 7396, section 2

    private static func merge(_ patch: CompactValue, into target: CompactValue?, writer: inout ByteWriter) {
        guard patch.isObject else { return writer.append(patch.bytes) }
        let members = patch.members
        // Every member of the target is looked up here, so that two long objects do not cost their product.
        let indices = Dictionary(uniqueKeysWithValues: members.indices.map { (members[$0].name, $0) })
        var isUsed = [Bool](repeating: false, count: members.count)
        writer.append(byte: UInt8(ascii: "{"))
        let start = writer.count
        for member in target?.members ?? [] {
            guard let index = indices[member.name] else {
                append(member.rawName, after: start, writer: &writer)
                writer.append(member.value.bytes)
                continue
            }
            isUsed[index] = true
            if members[index].value.isNull { continue }
            append(member.rawName, after: start, writer: &writer)
            merge(members[index].value, into: member.value, writer: &writer)
        }
        for (member, isUsed) in zip(members, isUsed) where !isUsed && !member.value.isNull {
            append(member.rawName, after: start, writer: &writer)
            merge(member.value, into: nil, writer: &writer)
        }
        writer.append(byte: UInt8(ascii: "}"))
    }

    private static func append(_ rawName: UnsafeRawBufferPointer, after start: Int, writer: inout ByteWriter) {
        if writer.count > start { writer.append(byte: UInt8(ascii: ",")) }
        writer.append(byte: UInt8(ascii: "\""))
        writer.append(rawName)
        writer.append("\":")
    }

    private static func checkMembers(_ value: CompactValue) throws(DuplicateMember) {
        guard value.isObject else { return }
        var names: Set<[UInt8]> = []
        for member in value.members {
            guard names.insert(member.name).inserted else {
                throw DuplicateMember(name: String(decoding: member.name, as: UTF8.self))
            }
            try checkMembers(member.value)
        }
    }
}

/// A value that was checked and compacted before, to be taken apart.
private struct CompactValue {
    let bytes: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isObject: Bool { bytes.first == UInt8(ascii: "{") }
    var isNull: Bool { bytes.first == UInt8(ascii: "n") }

    struct Member {
        /// Without escapes.
        var name: [UInt8]
        /// As it stands between its quotes.
        var rawName: UnsafeRawBufferPointer
        var value: CompactValue
    }

    /// In order; empty if this is no object.
    var members: [Member] {
        guard isObject else { return [] }
        var members: [Member] = []
        // The depth was checked when the text was read.
        var scanner = JSONScanner(bytes, depthMax: .max)
        do throws(JSONError) {
            var object = try scanner.beginObject()
            while let name = try scanner.nextMember(of: &object) {
                let value = try scanner.value()
                members.append(
                    Member(name: name.unescaped(), rawName: name.bytes, value: CompactValue(value.bytes)))
            }
        } catch {
            preconditionFailure("content was checked when it was read, but: \(error)")
        }
        return members
    }
}
