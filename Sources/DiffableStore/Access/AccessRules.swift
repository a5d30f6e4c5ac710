import Diffable

/// Who may create lists, and which owner, group and mode a new list gets. The configuration gives a rule for each
/// beginning of a name.
package struct AccessRules: Sendable, Equatable {
    /// The rule for names with this beginning. The rule with the next shorter beginning gives what this one leaves out.
    package struct Rule: Sendable, Equatable {
        package var prefix: String
        package var creators: Creators?
        /// The owner of a new list; nil for whoever creates it.
        package var owner: UInt32?
        /// The group of a new list; nil for the primary group of whoever creates it.
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

    /// Who may create lists, beside root and the daemon's own user.
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

    /// The longest beginning first.
    private let rules: [Rule]
    /// The owner of lists whose owner a repair did not find.
    private let formerOwner: UInt32
    private let formerGroup: UInt32

    /// - Parameter rules: no two for one beginning.
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

    /// The access record of a list that a peer creates.
    func record(of list: ListName, madeBy peer: Peer, mode: AccessMode?) -> AccessRecord {
        AccessRecord(
            owner: first(\.owner, for: list) ?? peer.userID, group: first(\.group, for: list) ?? peer.groupID,
            mode: mode)
    }

    /// The access that a record means under these rules.
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
