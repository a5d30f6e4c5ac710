import DiffableJSON

/// The parameters of all methods, named as on the wire.
package enum Parameter: UInt8, MemberName {
    case list, name, maxLine, durability, ifAbsent, operations, snapshot, section, usingReloadData, ifRevision
    case dryRun, more, once, subscription, since, at, from, to, limit, view, requestKey
    case deliver, minInterval, bookmark, lease, replace
    case mode, owner, group

    package static func named(_ name: JSONString) -> Parameter? {
        switch name {
        case "list": .list
        case "operations": .operations
        case "ifRevision": .ifRevision
        case "requestKey": .requestKey
        case "lease": .lease
        case "dryRun": .dryRun
        case "more": .more
        case "snapshot": .snapshot
        case "section": .section
        case "usingReloadData": .usingReloadData
        case "once": .once
        case "subscription": .subscription
        case "durability": .durability
        case "ifAbsent": .ifAbsent
        case "name": .name
        case "maxLine": .maxLine
        case "since": .since
        case "at": .at
        case "from": .from
        case "to": .to
        case "limit": .limit
        case "view": .view
        case "deliver": .deliver
        case "minInterval": .minInterval
        case "bookmark": .bookmark
        case "replace": .replace
        case "mode": .mode
        case "owner": .owner
        case "group": .group
        default: nil
        }
    }
}
