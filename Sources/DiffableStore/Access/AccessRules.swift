import Diffable

/// Who may create lists, and what they are like then, by the beginnings of their names: from the configuration.
package struct AccessRules: Sendable, Equatable {
    /// What holds for names that begin so. What it leaves out, the rule with the next shorter beginning says.
    package struct Rule: Sendable, Equatable {
        package var prefix: String
        package var creators: Creators?
        /// Whom the list belongs to; nil: whoever makes it.
        package var owner: UInt32?
        /// Nil: the primary group of whoever makes it.
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

    /// Who may create lists, beside those who may do everything.
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
    /// Whom the lists belong to that are older than owners.
    private let formerOwner: UInt32
    private let formerGroup: UInt32

    /// - Parameter rules: no two for one beginning.
    package init(_ rules: [Rule] = [], formerOwner: UInt32 = 0, formerGroup: UInt32 = 0) {
        self.rules = rules.sorted { $0.prefix.utf8.count > $1.prefix.utf8.count }
        self.formerOwner = formerOwner
        self.formerGroup = formerGroup
    }

    func mayCreate(_ list: ListName, _ peer: Peer) -> Bool {
        peer.isPrivileged || (first(\.creators, for: list) ?? .everyone).contains(peer)
    }

    /// What is to be kept of a list that a peer makes.
    func record(of list: ListName, madeBy peer: Peer, mode: AccessMode?) -> AccessRecord {
        AccessRecord(
            owner: first(\.owner, for: list) ?? peer.userID, group: first(\.group, for: list) ?? peer.groupID,
            mode: mode)
    }

    /// What a record comes to.
    func access(of list: ListName, _ record: AccessRecord) -> ListAccess {
        ListAccess(
            owner: record.owner ?? formerOwner, group: record.group ?? formerGroup,
            mode: record.mode ?? first(\.mode, for: list) ?? .ownerOnly)
    }

    private func first<Value>(_ member: KeyPath<Rule, Value?>, for list: ListName) -> Value? {
        for rule in rules where list.description.utf8.starts(with: rule.prefix.utf8) {
            if let value = rule[keyPath: member] { return value }
        }
        return nil
    }
}
