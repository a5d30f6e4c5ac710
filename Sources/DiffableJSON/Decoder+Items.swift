import Diffable

private enum ItemMember: UInt8, MemberName {
    case id, kind, content, expanded, children, folded

    /// The members of an item that clients may send.
    static let ofClients = MemberSet<ItemMember>([.id, .kind, .content, .expanded, .children])

    @inline(__always)
    static func named(_ name: JSONString) -> ItemMember? {
        switch name {
        case "id": .id
        case "kind": .kind
        case "content": .content
        case "expanded": .expanded
        case "children": .children
        case "folded": .folded
        default: nil
        }
    }
}

private enum SectionMember: UInt8, MemberName {
    case id, content, items

    static func named(_ name: JSONString) -> SectionMember? {
        switch name {
        case "id": .id
        case "content": .content
        case "items": .items
        default: nil
        }
    }
}

extension Decoder {
    package mutating func items() throws(DecodingError) -> [Item] { try items(atLevel: 0) }

    private mutating func items(atLevel level: Int) throws(DecodingError) -> [Item] {
        try elements("items") { decoder throws(DecodingError) in try decoder.item(atLevel: level) }
    }

    private mutating func item(atLevel level: Int) throws(DecodingError) -> Item {
        guard level < limits.levelsMax else {
            throw DecodingError(.tooLarge(limit: "levelsMax", max: limits.levelsMax), at: scanner.offset)
        }
        _ = scanner.peek()
        let start = scanner.offset
        var parts = RecordParts()
        var isExpanded: Bool?
        var isFolded = false
        var children: [Item] = []
        let allowed = limits.unknownMembers == .areIgnored ? .all : ItemMember.ofClients
        try object("an item", ItemMember.self, allowed: allowed) { member, decoder throws(DecodingError) in
            switch member {
            case .id: parts.id = try decoder.string("an item's id")
            case .kind: parts.kind = try decoder.string("an item's kind")
            case .content: parts.content = try decoder.content()
            case .expanded: isExpanded = try decoder.boolean("expanded")
            case .children: children = try decoder.items(atLevel: level + 1)
            case .folded: isFolded = try decoder.boolean("folded")
            }
        }
        return Item(
            record: try record(of: parts, "an item", startingAt: start), isExpanded: isExpanded, isFolded: isFolded,
            children: children)
    }

    /// `[{"id":…,"content":…,"items":[…]},…]`
    package mutating func sections() throws(DecodingError) -> [Section] {
        try elements("sections") { decoder throws(DecodingError) in
            _ = decoder.scanner.peek()
            let start = decoder.scanner.offset
            var parts = RecordParts()
            var items: [Item] = []
            try decoder.object("a section", SectionMember.self) { member, decoder throws(DecodingError) in
                switch member {
                case .id: parts.id = try decoder.string("a section's id")
                case .content: parts.content = try decoder.content()
                case .items: items = try decoder.items()
                }
            }
            return Section(record: try decoder.record(of: parts, "a section", startingAt: start), items: items)
        }
    }

    // MARK: - Records

    /// The parts of a record, as slices of the text. Members may have any order, so the record is made after the last one.
    struct RecordParts {
        var id: JSONString?
        var kind: JSONString?
        var content: JSONValue?
    }

    /// Reads any value; nil for `null`, which means no content.
    mutating func content() throws(DecodingError) -> JSONValue? {
        let value = try scan { scanner throws(JSONError) in try scanner.value() }
        return value.isNull ? nil : value
    }

    @inline(__always)
    private func record(
        of parts: RecordParts, _ what: StaticString, startingAt start: Int
    ) throws(DecodingError) -> Record {
        guard let id = parts.id else { throw .invalid("\(what) needs an id", at: start) }
        return try withBytes(of: id, "id") { id throws(DecodingError) in
            try withBytes(of: parts.kind, "kind") { kind throws(DecodingError) in
                try withBytes(of: parts.content) { content throws(DecodingError) in
                    Record.make(id: id, kind: kind, content: content)
                }
            }
        }
    }

    @inline(__always)
    private func withBytes<R>(
        of string: JSONString?, _ member: StaticString,
        _ body: (UnsafeRawBufferPointer) throws(DecodingError) -> R
    ) throws(DecodingError) -> R {
        guard let string else { return try body(UnsafeRawBufferPointer(start: nil, count: 0)) }
        // The closure captures the limit and not the decoder, which would be copied for it.
        let lengthMax = limits.idLengthMax
        return try string.withUTF8 { utf8 throws(DecodingError) in
            do throws(IdentifierError) {
                try IdentifierError.check(utf8, lengthMax: lengthMax)
            } catch {
                throw DecodingError.identifier(error, "the \(member)", at: string.offset, lengthMax: lengthMax)
                    .inside("\(member)")
            }
            return try body(utf8)
        }
    }

    @inline(__always)
    func withBytes<R>(
        of content: JSONValue?, _ body: (UnsafeRawBufferPointer) throws(DecodingError) -> R
    ) throws(DecodingError) -> R {
        guard let content else { return try body(UnsafeRawBufferPointer(start: nil, count: 0)) }
        let lengthMax = limits.contentLengthMax
        return try content.withCompactBytes { bytes throws(DecodingError) in
            guard bytes.count <= lengthMax else {
                let reason = DecodingError.Reason.tooLarge(limit: "contentLengthMax", max: lengthMax)
                throw DecodingError(reason, at: content.offset).inside("content")
            }
            return try body(bytes)
        }
    }
}
