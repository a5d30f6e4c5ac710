import Diffable

extension Array where Element == ListOperation {
    package init(json: UnsafeRawBufferPointer, limits: DecodingLimits) throws(DecodingError) {
        var decoder = Decoder(json, limits: limits)
        self = try decoder.operations()
        try decoder.end()
    }
}

private enum SnapshotMember: UInt8, MemberName {
    case content, sections

    var takesNull: Bool { self == .content }

    static func named(_ name: JSONString) -> SnapshotMember? {
        switch name {
        case "content": .content
        case "sections": .sections
        default: nil
        }
    }
}

extension WholeList {
    /// From a snapshot, `{"content":…,"sections":[…]}`.
    package init(json: UnsafeRawBufferPointer, limits: DecodingLimits) throws(DecodingError) {
        var decoder = Decoder(json, limits: limits)
        self = try decoder.snapshot()
        try decoder.end()
    }
}

extension Decoder {
    /// `{"content":…,"sections":[…]}`
    package mutating func snapshot() throws(DecodingError) -> WholeList {
        _ = scanner.peek()
        let start = scanner.offset
        var content: Content??
        var sections: [Section]?
        try object("a snapshot", SnapshotMember.self) { member, decoder throws(DecodingError) in
            switch member {
            case .content: content = .some(try decoder.newContent())
            case .sections: sections = try decoder.sections()
            }
        }
        guard let sections else { throw .invalid("a snapshot needs sections, an array", at: start) }
        return WholeList(content: content, sections: sections)
    }
}
