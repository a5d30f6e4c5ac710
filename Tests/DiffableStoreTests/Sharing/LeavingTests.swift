import Diffable
import Testing

@testable import DiffableStore

struct LeavingTests {
    private let host = ScriptedHost("alpha")

    @Test func `a copy that a host leaves is an ordinary list with its items, under another epoch`() throws {
        host.tell()
        host.put(["milk"], sections: ["s"])
        _ = try host.append()
        host.run { $0.detach() }
        host.tell(isLive: nil) { $0.isLeft = true }
        let left = try #require(host.run { $0.list("bar") })
        #expect(host.items == ["milk"] && left.epoch != "e1" && left.revision == 1)
        #expect(host.run { $0.storedLists["bar"]?.shared == nil && $0.deletedLists(for: .daemon).isEmpty })

        // It is changed and stored without etcd.
        host.put(["bread"])
        #expect(host.items == ["milk", "bread"] && host.calls.isEmpty)
        host.restart()
        #expect(host.items == ["milk", "bread"] && host.run { $0.list("bar")?.epoch } == left.epoch)
        #expect(host.run { $0.storedLists["bar"]?.shared == nil })
    }

    @Test func `leased items of a list that is left are ordinary items`() throws {
        host.tell()
        let lease = host.run { $0.makeLease() }
        host.put(["clock"], lease: lease, sections: ["s"])
        _ = try host.append()
        host.tell(isLive: nil) { $0.isLeft = true }
        host.run { $0.end(lease, origin: Origin(name: "lease ended: bar")) }
        #expect(host.items == ["clock"] && host.leases.isEmpty)
    }

    @Test func `an ordinary list is not left`() {
        host.run { $0.createList("bar", durability: .volatile) { _ in } }
        #expect(host.tell(isLive: nil) { $0.isLeft = true } == nil)
    }
}
