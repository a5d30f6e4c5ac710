import DiffableJSON

extension Decoder {
    /// Reads an object: `read` is called with each known member, and reads its value. DiffableJSON has the same for its own
    /// objects: a generic function is specialised for a type only in its own module, and as generic code this takes longer than
    /// the scanning. The strict checks are shared.
    @inline(__always)
    mutating func object<Member: MemberName>(
        _ what: @autoclosure () -> String, _: Member.Type,
        _ read: (Member, inout Decoder) throws(DecodingError) -> Void
    ) throws(DecodingError) {
        var object = try beginObject(what())
        while let name = try nextName(of: &object) {
            guard let member = Member.named(name) else {
                try skipOrRefuseUnknown(name, of: what(), known: Member.allCases.map(\.name))
                continue
            }
            try object.recordMember(member.rawValue, name, of: what())
            do throws(DecodingError) {
                if !member.takesNull, try readNull() { continue }
                try read(member, &self)
            } catch {
                throw error.inside(member.name)
            }
        }
    }
}
