/// The members that an object may have: the cases are named as the members are.
package protocol MemberName: CaseIterable, Equatable, Sendable, RawRepresentable<UInt8> {
    static func named(_ name: JSONString) -> Self?
}

extension MemberName {
    /// As in the text. O(1), but slow: for messages.
    package var name: String { String(describing: self) }
}

/// Finds an object's members by the names of their cases. A `switch` is faster: this is for objects of which a line
/// has few.
package struct MemberNames<Member: MemberName>: Sendable {
    private let names: NameTable

    /// Made once: to ask a case for its name takes longer than to read a line. The cases count from zero.
    package init() { names = NameTable(names: Member.allCases.map { Array($0.name.utf8) }) }

    package subscript(name: JSONString) -> Member? {
        names.index(of: name).flatMap { Member(rawValue: UInt8($0)) }
    }
}

/// Apart from the members' type, because generic code would take longer than all the rest.
private struct NameTable: Sendable {
    let names: [[UInt8]]

    func index(of name: JSONString) -> Int? {
        name.withUTF8 { name in
            for index in names.indices where names[index].count == name.count && names[index].elementsEqual(name) {
                return index
            }
            return nil
        }
    }
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
