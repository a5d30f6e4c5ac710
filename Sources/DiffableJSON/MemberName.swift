/// The members that an object may have: the cases are named as the members are.
package protocol MemberName: CaseIterable, Equatable, RawRepresentable<UInt8> {
    static func named(_ name: JSONString) -> Self?
}

extension MemberName {
    /// As in the text. O(1), but slow: for messages.
    package var name: String { String(describing: self) }
}

/// Some of an object's members. The generic code around it is inlinable, so that it is compiled for each object.
package struct MemberSet<Member: MemberName>: Sendable {
    @usableFromInline
    let bits: UInt32

    @inlinable
    init(bits: UInt32) { self.bits = bits }

    @inlinable
    package init(_ members: [Member]) {
        var bits: UInt32 = 0
        for member in members { bits |= 1 << UInt32(member.rawValue) }
        self.bits = bits
    }

    @inlinable
    package static var all: MemberSet { MemberSet(bits: .max) }

    @inlinable @inline(__always)
    package func contains(_ member: Member) -> Bool { bits & 1 &<< UInt32(member.rawValue) != 0 }

    /// For messages.
    package var names: [String] { Member.allCases.filter(contains).map(\.name) }
}
