import Diffable
import Testing

@testable import DiffableStore

struct SharedLeaseTests {
    private let alpha = ScriptedHost("alpha")
    private let beta = ScriptedHost("beta")

    /// Gives both hosts a list with an ordinary item, and one that a connection of alpha leases, in a section of it.
    private func lease() throws -> (Lease, texts: [[UInt8]]) {
        for host in [alpha, beta] { host.tell() }
        alpha.put(["fixed"], sections: ["s"])
        let lease = alpha.run { $0.makeLease() }
        var texts = [try alpha.append().text]
        alpha.put(["clock"], lease: lease, sections: ["mine"])
        texts.append(try alpha.append().text)
        beta.tell(texts)
        #expect(beta.items == ["fixed", "clock"] && beta.leases.map(\.host) == ["alpha"])
        return (lease, texts)
    }

    @Test func `what a connection leased goes with it, on all hosts, once`() throws {
        let (lease, _) = try lease()
        alpha.run { $0.end(lease, origin: Origin(name: "lease ended: bar")) }
        let (text, absent) = try alpha.append()
        #expect(absent.isEmpty && alpha.calls.isEmpty)
        beta.tell([text])
        for host in [alpha, beta] {
            #expect(host.items == ["fixed"] && host.leases.isEmpty)
            #expect(host.run { $0.list("bar")?.snapshot.sectionIdentifiers } == ["s"])
        }
        let revision = beta.run { $0.history(of: "bar")?.first }
        #expect(revision?.origin?.name == "lease ended: bar@alpha")
    }

    @Test func `more than one batch has room for goes in several, and is held until the last`() throws {
        let (lease, _) = try lease()
        var texts: [[UInt8]] = []
        for part in 0..<3 {
            let ids = try (0..<2_000).map { try ItemID("\(part).\($0)." + String(repeating: "x", count: 60)) }
            alpha.put(ids, lease: lease)
            texts.append(try alpha.append().text)
        }
        beta.tell(texts)
        alpha.run { $0.end(lease, origin: Origin(name: "lease ended")) }
        var batches = 0
        while !alpha.calls.isEmpty, batches < 20 {
            #expect(alpha.leases.count == 1 && beta.leases.count == 1)
            beta.tell([try alpha.append().text])
            batches += 1
        }
        #expect(batches > 1)
        for host in [alpha, beta] { #expect(host.items == ["fixed"] && host.leases.isEmpty) }
    }

    @Test func `a section in which others have put something stays, and is leased no more`() throws {
        let (lease, _) = try lease()
        beta.put(["theirs"])
        alpha.tell([try beta.append().text])
        alpha.run { $0.end(lease, origin: Origin(name: "lease ended")) }
        beta.tell([try alpha.append().text])
        for host in [alpha, beta] { #expect(host.items == ["fixed", "theirs"] && host.leases.isEmpty) }
    }

    @Test func `what a request in doubt leased goes when it arrives after its connection has ended`() throws {
        _ = try lease()
        let lease = alpha.run { $0.makeLease() }
        alpha.put(["late"], lease: lease)
        let late = try alpha.append(settling: .unknown).text
        alpha.run { $0.end(lease, origin: Origin(name: "lease ended")) }
        alpha.tell([late])
        beta.tell([late, try alpha.append().text])
        for host in [alpha, beta] { #expect(host.items == ["fixed", "clock"] && host.leases.count == 1) }
    }

    @Test func `what is held by a host that is gone is ended by another, unless it is there`() throws {
        let (lease, _) = try lease()
        beta.run { $0.setHosts(["alpha", "beta"]) }
        #expect(beta.calls.isEmpty)
        beta.run { $0.setHosts(["beta"]) }
        #expect(try beta.append(settling: .refused).absent == ["alpha"], "the engine says that it is there")
        #expect(beta.calls.isEmpty && beta.items == ["fixed", "clock"])
        // Other clients' changes are not delayed by it.
        beta.put(["more"])
        let more = try beta.append()
        #expect(more.absent.isEmpty)
        beta.run { $0.setHosts(["beta"]) }
        let (text, absent) = try beta.append()
        #expect(absent == ["alpha"] && beta.items == ["fixed", "more"] && beta.leases.isEmpty)
        alpha.tell([more.text, text])
        #expect(alpha.items == ["fixed", "more"])
        // The connection stays open, and leases more items.
        alpha.put(["again"], lease: lease)
        _ = try alpha.append()
        #expect(alpha.items == ["fixed", "more", "again"] && alpha.leases.count == 1 && alpha.calls.isEmpty)
    }

    @Test func `a whole state says who holds what, and who may what`() throws {
        _ = try lease()
        alpha.run { $0.setAccess(of: "bar", AccessRecord(mode: AccessMode(bits: 0o640))) { _ in } }
        _ = try alpha.append()
        let checkpoint = try alpha.run { store in
            Result { () throws(StoreError) in try store.sharedCheckpoint(of: "bar") }
        }.get()
        let gamma = ScriptedHost("gamma")
        gamma.tell(isLive: nil)
        gamma.run { $0.setHosts(["gamma"]) }
        gamma.tell { told in
            told.part = Replication.Part(
                text: checkpoint.parts.flatMap(\.self), end: checkpoint.state.position)
        }
        #expect(gamma.leases.map(\.host) == ["alpha"])
        #expect(gamma.run { $0.currentAccess(of: "bar").effective.mode } == AccessMode(bits: 0o640))
        #expect(try gamma.append().absent == ["alpha"])
        #expect(gamma.items == ["fixed"])
    }

    @Test func `what an earlier daemon of this host left goes when the list is live`() throws {
        let (_, texts) = try lease()
        alpha.restart()
        #expect(alpha.items == ["fixed", "clock"] && alpha.leases.count == 1 && alpha.calls.isEmpty)
        alpha.tell(texts)
        let (text, absent) = try alpha.append()
        #expect(absent.isEmpty && alpha.items == ["fixed"])
        beta.tell([text])
        #expect(beta.run { $0.history(of: "bar")?.first?.origin?.name } == "lease ended: restart@alpha")
    }

    @Test func `a leased list goes with its connection, or with its host`() throws {
        let lease = alpha.run { $0.makeLease() }
        alpha.run { $0.createSharedList("bar", lease: lease) { _ in } }
        guard case .share(let call, _, let epoch, let beginning)? = alpha.calls.popLast() else {
            Issue.record("it is not shared")
            return
        }
        alpha.run { $0.settle(call, .done) }
        #expect(SharedBeginning(beginning.text) == beginning && beginning.lease?.host == "alpha")
        beta.tell { told in
            told.epoch = epoch
            told.beginning = SharedBeginning(beginning.text)
        }
        beta.run { $0.setHosts([]) }
        guard case .remove(let theirs, _, epoch, "alpha")? = beta.calls.popLast() else {
            Issue.record("it is not deleted")
            return
        }
        beta.run { $0.settle(theirs, .refused) }
        #expect(beta.items == [] && beta.calls.isEmpty)
        alpha.run { $0.end(lease, origin: Origin(name: "lease ended")) }
        guard case .remove(let own, _, epoch, nil)? = alpha.calls.popLast() else {
            Issue.record("it is not deleted")
            return
        }
        alpha.run { $0.settle(own, .done) }
        #expect(alpha.items == nil && alpha.run { $0.deletedLists(for: .daemon) }.isEmpty)
    }
}
