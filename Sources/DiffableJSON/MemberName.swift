package protocol MemberName: CaseIterable, Equatable, Sendable, RawRepresentable<UInt8> {
    static func named(_ name: JSONString) -> Self?

    /// Whether `null` is a value of this member. For all others it is the same as leaving the member out.
    var takesNull: Bool { get }
}

extension MemberName {
    @inlinable package var takesNull: Bool { false }

    /// The name in the text. O(1), but slow, so it is for messages only.
    package var name: String { String(describing: self) }
}

/// Finds an object's members by the names of their cases, which are 1 to 24 bytes long. The type is not generic, because other
/// modules call it, and generic code would not be specialised for their types.
package struct MemberNames: Sendable {
    private let keys: [Key]

    /// Collects the names once, because asking a case for its name takes longer than reading a line. The raw values of the
    /// cases count from zero.
    package init<Member: MemberName>(_: Member.Type) { self.init(Member.allCases.map(\.name)) }

    package init(_ names: [String]) {
        keys = names.map { name in
            var name = name
            guard let key = name.withUTF8({ Key(UnsafeRawBufferPointer($0)) }) else {
                preconditionFailure("the name \(name) is longer than three words")
            }
            return key
        }
    }

    /// The index of the name among all, which is the raw value of its member.
    package func number(of name: JSONString) -> UInt8? {
        guard let key = name.withUTF8({ Key($0) }) else { return nil }
        var number: UInt8 = 0
        for known in keys {
            if known == key { return number }
            number &+= 1
        }
        return nil
    }

    /// A name as machine words: its first, middle and last bytes, which overlap.
    private struct Key: Equatable {
        var first: UInt64
        var middle: UInt64 = 0
        var last: UInt64
        var count: Int

        @inline(__always)
        init?(_ name: UnsafeRawBufferPointer) {
            count = name.count
            switch count {
            case 8...24:
                first = name.loadUnaligned(as: UInt64.self)
                middle = name.loadUnaligned(fromByteOffset: count / 2 - 4, as: UInt64.self)
                last = name.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
            case 4..<8:
                first = UInt64(name.loadUnaligned(as: UInt32.self))
                last = UInt64(name.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self))
            case 1..<4:
                first = UInt64(name[0]) << 8 | UInt64(name[count / 2])
                last = UInt64(name[count - 1])
            default: return nil
            }
        }
    }
}

package struct MemberSet<Member: MemberName>: Sendable {
    package let bits: UInt32

    init(bits: UInt32) { self.bits = bits }

    package init(_ members: [Member]) {
        var bits: UInt32 = 0
        for member in members { bits |= 1 << UInt32(member.rawValue) }
        self.bits = bits
    }

    package static var all: MemberSet { MemberSet(bits: .max) }

    @inline(__always)
    package func contains(_ member: Member) -> Bool { bits & 1 &<< UInt32(member.rawValue) != 0 }

    package var names: [String] { Member.allCases.filter(contains).map(\.name) }
}
