import Diffable

/// Whole texts: what the journal, files and replies hold.

extension Array where Element == Operation {
    /// From `[{"op":…},…]`.
    package init(json: UnsafeRawBufferPointer, limits: DecodingLimits) throws(DecodingError) {
        var decoder = Decoder(json, limits: limits)
        self = try decoder.operations()
        try decoder.end()
    }
}

private enum SnapshotMember: UInt8, MemberName {
    case sections

    static func named(_ name: JSONString) -> SnapshotMember? { "sections" ~= name ? .sections : nil }
}

extension Array where Element == Section {
    /// From a snapshot, `{"sections":[…]}`.
    package init(json: UnsafeRawBufferPointer, limits: DecodingLimits) throws(DecodingError) {
        var decoder = Decoder(json, limits: limits)
        self = try decoder.snapshot()
        try decoder.end()
    }
}

extension Decoder {
    /// `{"sections":[…]}`
    package mutating func snapshot() throws(DecodingError) -> [Section] {
        _ = scanner.peek()
        let start = scanner.offset
        var sections: [Section]?
        try object("a snapshot", SnapshotMember.self) { _, decoder throws(DecodingError) in
            sections = try decoder.sections()
        }
        guard let sections else { throw .invalid("a snapshot needs sections", at: start) }
        return sections
    }
}
