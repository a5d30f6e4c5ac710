import Diffable

@testable import DiffableStore

/// The users of a world. Each host has some of them, with different user ids.
enum ModelUser: String, CaseIterable {
    case root, anna, bert

    /// The group of both users.
    static let group = "staff"

    func number(on host: Int) -> UInt32? {
        switch self {
        case .root: 0
        case .anna: UInt32(1_000 + host)
        case .bert: host % 3 == 2 ? nil : UInt32(2_000 + host)
        }
    }

    static func groupNumber(on host: Int) -> UInt32? { host % 4 == 3 ? nil : UInt32(3_000 + host) }

    /// Returns nil on a host without this user.
    func peer(on host: Int) -> Peer? {
        guard self != .root else { return .daemon }
        guard let number = number(on: host) else { return nil }
        return Peer(
            userID: number, groupID: UInt32(5_000 + host), groups: ModelUser.groupNumber(on: host).map { [$0] } ?? [])
    }

    /// Returns the user's rights, by names only.
    func rights(_ access: SharedAccess) -> Rights {
        let bits = access.mode?.bits ?? 0
        let own =
            switch self {
            case .root: bits | 7
            case _ where access.owner == rawValue: bits >> 6
            case _ where access.group == ModelUser.group: bits >> 3
            default: bits
            }
        return self == .root ? .all : Rights(rawValue: own & 7)
    }

    func others(_ access: SharedAccess) -> Rights { Rights(rawValue: (access.mode?.bits ?? 0) & 7) }

    func governs(_ access: SharedAccess) -> Bool { self == .root || access.owner == rawValue }
}

extension Accounts {
    static func model(of host: Int) -> Accounts {
        Accounts(
            nameOfUser: { number in ModelUser.allCases.first { $0.number(on: host) == number }?.rawValue },
            nameOfGroup: { number in
                number == 0 ? "root" : ModelUser.groupNumber(on: host) == number ? ModelUser.group : nil
            },
            user: { ModelUser(rawValue: $0)?.number(on: host) },
            group: { $0 == "root" ? 0 : $0 == ModelUser.group ? ModelUser.groupNumber(on: host) : nil })
    }
}
