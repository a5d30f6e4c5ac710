import DiffableJSON

/// The members of an object with many of them: their names are compared as words, which the enum stores in `names`.
protocol IndexedMemberName: MemberName {
    static var names: MemberNames { get }
}

extension IndexedMemberName {
    @inline(__always)
    static func named(_ name: JSONString) -> Self? { names.number(of: name).flatMap(Self.init(rawValue:)) }
}
