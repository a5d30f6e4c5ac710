import DiffableJSON

/// The parameters of all methods, named as on the wire.
package enum Parameter: UInt8, MemberName {
    case list, operations, name, maxLine, durability, ifAbsent, snapshot, section, usingReloadData, ifRevision
    case dryRun, more, once, subscription, since, at, from, to, limit, view, requestKey
    case deliver, minInterval, bookmark, lease, replace
    case mode, owner, group

    private static let names = MemberNames(Parameter.self)

    package static func named(_ name: JSONString) -> Parameter? { names.number(of: name).flatMap(Self.init(rawValue:)) }
}
