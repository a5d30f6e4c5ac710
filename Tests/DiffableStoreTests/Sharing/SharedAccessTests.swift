import Diffable
import DiffableJSON
import Testing

@testable import DiffableStore

/// The access to shared lists, by names.
struct SharedAccessTests {
    private let told = AccessRecord(
        mode: AccessMode(bits: 0o660), sharing: .beginning, ownerName: "anna", groupName: "staff")

    private let nobody = Accounts(
        nameOfUser: { _ in nil }, nameOfGroup: { _ in nil }, user: { _ in nil }, group: { _ in nil })

    private func access(_ accounts: Accounts) -> ListAccess {
        AccessRules().access(of: "a", told.resolved(by: accounts))
    }

    @Test func `names are those of this host, whatever numbers they have`() {
        for host in 0..<3 {
            let access = access(.model(of: host))
            #expect(access.owner == ModelUser.anna.number(on: host) && access.group == ModelUser.groupNumber(on: host))
            #expect(ModelUser.bert.peer(on: host).map(access.rights(of:)) == (host == 2 ? nil : .all))
        }
    }

    @Test func `who is unknown has no rights, and nobody has theirs`() {
        let access = access(nobody)
        #expect(access.isGoverned(by: .daemon))
        for number: UInt32 in [0, 1, 1_000, 65_534, .max - 1] {
            // This includes members of root's group and of the group nogroup.
            let peer = Peer(userID: 1_000, groupID: number, groups: [0, 65_534])
            #expect(access.rights(of: peer) == [] && !access.isGoverned(by: peer))
        }
    }

    @Test func `a backup has the numbers of this host, and no group that is nobody's`() {
        for host in 0..<3 {
            let kept = told.numbered(as: access(.model(of: host)))
            #expect(kept.owner == ModelUser.anna.number(on: host) && kept.group == ModelUser.groupNumber(on: host))
        }
        let kept = told.numbered(as: access(nobody))
        #expect(kept.owner == 0 && kept.group == nil && kept.mode == told.mode)
    }

    @Test func `a shared list is in a backup with its owner`() {
        let host = ScriptedHost("alpha")
        host.tell { $0.beginning = SharedBeginning(access: SharedAccess(owner: "anna", group: "staff"), lease: nil) }
        let records = host.run { $0.durableLists.map(\.record) }
        #expect(records.map(\.owner) == [ModelUser.anna.number(on: 0)])
        #expect(records.map(\.group) == [ModelUser.groupNumber(on: 0)])
    }

    @Test func `what is told is read as it was written, and later words are passed over`() {
        for access in [
            SharedAccess(), SharedAccess(owner: "a\"b"), SharedAccess(group: "é", mode: AccessMode(bits: 0o7)),
            SharedAccess(owner: "a", group: "b", mode: AccessMode(bits: 0)),
        ] {
            #expect(SharedAccess(access.text) == access)
        }
        let later = #"{"label":{"x":[1]},"owner":"anna"}"#
        #expect(SharedAccess(later) == SharedAccess(owner: "anna"))
        #expect(told.changed(by: SharedAccess(mode: AccessMode(bits: 0))).shared.owner == "anna")
    }

    @Test func `a heading has the names, and reads those of before`() {
        for record in [told, AccessRecord(sharing: .beginning)] {
            var read = AccessRecord(mode: record.mode)
            read.readSharing(record.sharingText ?? "")
            #expect(read == record)
        }
        var damaged = AccessRecord()
        damaged.readSharing("x")
        #expect(damaged == AccessRecord())
    }
}
