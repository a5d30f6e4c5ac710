import Diffable

/// Rules for creating lists, and for the owner, group and mode of new lists: one for each prefix of names.
package struct AccessRules: Sendable, Equatable {
    /// A rule for names with this prefix. Missing members come from the rule with the next shorter prefix.
    package struct Rule: Sendable, Equatable {
        package var prefix: String
        package var creators: Creators?
        /// The owner of a new list. Nil for the user that creates it.
        package var owner: UInt32?
        /// The group of a new list. Nil for the primary group of the user that creates it.
        package var group: UInt32?
        package var mode: AccessMode?

        package init(
            prefix: String = "", creators: Creators? = nil, owner: UInt32? = nil, group: UInt32? = nil,
            mode: AccessMode? = nil
        ) {
            self.prefix = prefix
            self.creators = creators
            self.owner = owner
            self.group = group
            self.mode = mode
        }
    }

    /// The users that may create lists, in addition to root and the daemon's user.
    package enum Creators: Sendable, Equatable {
        case everyone
        case some(users: Set<UInt32>, groups: Set<UInt32>)

        func contains(_ peer: Peer) -> Bool {
            switch self {
            case .everyone: true
            case .some(let users, let groups):
                users.contains(peer.userID) || groups.contains(where: peer.isMember)
            }
        }
    }

    /// Longest prefix first.
    private let rules: [Rule]
    /// The owner of lists whose owner a repair did not find.
    private let formerOwner: UInt32
    private let formerGroup: UInt32

    /// - Parameter rules: with distinct prefixes.
    package init(_ rules: [Rule] = [], formerOwner: UInt32 = 0, formerGroup: UInt32 = 0) {
        self.rules = rules.sorted { $0.prefix.utf8.count > $1.prefix.utf8.count }
        self.formerOwner = formerOwner
        self.formerGroup = formerGroup
    }

    func mayCreate(_ list: ListName, _ peer: Peer) -> Bool {
        guard peer.isInScope(list) else { return false }
        return peer.isPrivileged || (first(\.creators, for: list) ?? .everyone).contains(peer)
    }

    /// Why the peer cannot create a list of that name. It does not depend on whether such a list exists.
    func creationDenial(_ list: ListName, _ peer: Peer) -> StoreError {
        .permissionDenied(list, peer.isInScope(list) ? .creation : .scope)
    }

    /// Whether the peer governs a list with this record.
    func isGoverned(_ list: ListName, _ record: AccessRecord, by peer: Peer) -> Bool {
        peer.isInScope(list) && access(of: list, record).isGoverned(by: peer)
    }

    func record(of list: ListName, madeBy peer: Peer, mode: AccessMode?) -> AccessRecord {
        AccessRecord(
            owner: first(\.owner, for: list) ?? peer.userID, group: first(\.group, for: list) ?? peer.groupID,
            mode: mode)
    }

    func access(of list: ListName, _ record: AccessRecord) -> ListAccess {
        ListAccess(
            owner: record.owner ?? formerOwner, group: record.group ?? formerGroup,
            mode: record.mode ?? first(\.mode, for: list) ?? .ownerOnly, source: record.source,
            isShared: record.sharing != nil)
    }

    private func first<Value>(_ member: KeyPath<Rule, Value?>, for list: ListName) -> Value? {
        for rule in rules where list.description.utf8.starts(with: rule.prefix.utf8) {
            if let value = rule[keyPath: member] { return value }
        }
        return nil
    }
}
