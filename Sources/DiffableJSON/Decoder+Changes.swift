import Diffable

private enum ChangeMember: UInt8, MemberName {
    case id, content

    /// `null` removes the content.
    var takesNull: Bool { self == .content }

    static func named(_ name: JSONString) -> ChangeMember? {
        switch name {
        case "id": .id
        case "content": .content
        default: nil
        }
    }
}

private enum ReloadMember: UInt8, MemberName {
    case id, kind, content

    /// `null` removes the kind or the content.
    var takesNull: Bool { self != .id }

    static func named(_ name: JSONString) -> ReloadMember? {
        switch name {
        case "id": .id
        case "kind": .kind
        case "content": .content
        default: nil
        }
    }
}

/// Reads the elements of operations that change items or sections: an id alone, or an object with the id and the new values.
extension Decoder {
    mutating func sectionReload() throws(DecodingError) -> SectionReload {
        if scanner.peek() == UInt8(ascii: "\"") { return SectionReload(id: try identifier("a section's id")) }
        let (id, content) = try change("a section", as: SectionTag.self)
        return SectionReload(id: id, content: content)
    }

    mutating func reconfiguration() throws(DecodingError) -> ItemReconfiguration {
        if scanner.peek() == UInt8(ascii: "\"") { return ItemReconfiguration(id: try identifier("an item's id")) }
        let (id, content) = try change("an item", as: ItemTag.self)
        return ItemReconfiguration(id: id, content: content)
    }

    private mutating func change<Named>(
        _ what: StaticString, as _: Named.Type
    ) throws(DecodingError) -> (Identifier<Named>, Content??) {
        guard scanner.peek() == UInt8(ascii: "{") else {
            throw unexpected("\(what)", "its id, or an object with id and content")
        }
        let start = scanner.offset
        var id: Identifier<Named>?
        var content: Content??
        try object("\(what)", ChangeMember.self) { member, decoder throws(DecodingError) in
            switch member {
            case .id: id = try decoder.identifier("the id")
            case .content: content = .some(try decoder.newContent())
            }
        }
        guard let id else { throw .invalid("\(what) needs an id", at: start) }
        return (id, content)
    }

    mutating func reload() throws(DecodingError) -> ItemReload {
        if scanner.peek() == UInt8(ascii: "\"") { return ItemReload(id: try identifier("an item's id")) }
        guard scanner.peek() == UInt8(ascii: "{") else {
            throw unexpected("an item", "its id, or an object with id, kind and content")
        }
        let start = scanner.offset
        var id: ItemID?
        var kind: Kind??
        var content: Content??
        try object("an item", ReloadMember.self) { member, decoder throws(DecodingError) in
            switch member {
            case .id: id = try decoder.identifier("the id")
            case .kind: kind = .some(try decoder.readNull() ? nil : try decoder.identifier("the kind"))
            case .content: content = .some(try decoder.newContent())
            }
        }
        guard let id else { throw .invalid("an item needs an id", at: start) }
        return ItemReload(id: id, kind: kind, content: content)
    }

    mutating func patch() throws(DecodingError) -> ItemPatch {
        guard scanner.peek() == UInt8(ascii: "{") else { throw unexpected("an item", "an object with id and content") }
        let start = scanner.offset
        var id: ItemID?
        var patch: MergePatch?
        try object("an item", ChangeMember.self) { member, decoder throws(DecodingError) in
            switch member {
            case .id: id = try decoder.identifier("the id")
            case .content: patch = try decoder.mergePatch()
            }
        }
        guard let id else { throw .invalid("an item needs an id", at: start) }
        guard let patch else { throw .invalid("a patch needs content, a JSON merge patch", at: start) }
        return patch.itemPatch(of: id)
    }

    mutating func mergePatch() throws(DecodingError) -> MergePatch {
        let value = try scan { scanner throws(JSONError) in try scanner.value() }
        do throws(MergePatch.DuplicateMember) {
            return try MergePatch(value, resultLengthMax: limits.contentLengthMax)
        } catch {
            throw .invalid("a patch has the member \"\(error.name)\" twice", at: value.offset)
        }
    }

    /// Nil for `null`, which removes the content.
    mutating func newContent() throws(DecodingError) -> Content? {
        guard let value = try content() else { return nil }
        do throws(DecodingError) {
            return try withBytes(of: value) { bytes throws(DecodingError) in Content([UInt8](bytes)) }
        } catch {
            // The caller adds the name of the member.
            throw DecodingError(error.reason, at: error.offset)
        }
    }
}
