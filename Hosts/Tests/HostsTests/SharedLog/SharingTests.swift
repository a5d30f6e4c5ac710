import Synchronization
import TestSupport
import Testing

@testable import SharedLog

@Suite struct SharingTests {
    private let list = ModelHosts.list

    private func write(_ hosts: ModelHosts, _ spaces: [SharedSpace], _ number: Int, count: Int) async throws {
        let daemon = hosts.daemons[number]
        let before = await daemon.acknowledged.count
        try await hosts.until(spaces, "all appends were acknowledged") {
            if await daemon.acknowledged.count < before + count { await daemon.write(list) }
            return await daemon.acknowledged.count == before + count
        }
    }

    @Test func whatOneHostWritesAllHave() async throws {
        let hosts = ModelHosts(3)
        try await hosts.allConnected { spaces in
            try await hosts.shareList(among: spaces)
            try await write(hosts, spaces, 0, count: 5)
            try await write(hosts, spaces, 2, count: 5)
            try await hosts.until(spaces, "all are equal") { await hosts.areEqual() }
            try await hosts.expectTruth()
            #expect(await hosts.daemons[1].lists[list]?.texts.count == 10)
        }
    }

    @Test func aNameIsSharedOnce() async throws {
        let hosts = ModelHosts(2)
        try await hosts.allConnected { spaces in
            try await hosts.shareList(among: spaces)
            await hosts.daemons[1].share(list, as: "E2")
            try await hosts.until(spaces, "it was answered") { await hosts.daemons[1].settled.last == .lost }
            #expect(try await hosts.head()?.epoch == "E1")
        }
    }

    @Test func aRemovedListGoesEverywhereAndItsKeysWithIt() async throws {
        let hosts = ModelHosts(2)
        try await hosts.allConnected { spaces in
            try await hosts.shareList(among: spaces)
            try await write(hosts, spaces, 0, count: 2)
            await hosts.daemons[1].remove(list)
            try await hosts.until(spaces, "it went") {
                let lists = (await hosts.daemons[0].lists[list], await hosts.daemons[1].lists[list])
                return lists.0 == nil && lists.1 == nil
            }
            #expect(await hosts.engine.values.keys.sorted() == [hosts.register.keys.ended("E1")])
        }
    }

    /// In an early test, the list returned, empty, and stayed.
    @Test func aListThatTheEngineDoesNotKnowStaysRemoved() async throws {
        let hosts = ModelHosts(1)
        try await hosts.allConnected { spaces in
            try await hosts.shareList(among: spaces)
            try await write(hosts, spaces, 0, count: 2)
            await hosts.engine.restore([:])
            await hosts.daemons[0].remove(list)
            try await hosts.until(spaces, "it is answered") { await hosts.daemons[0].pendingRemovalCount == 0 }
            for _ in 0..<10 { try await spaces[0].look() }
            #expect(await hosts.daemons[0].lists[list] == nil)
        }
    }

    @Test func whoRemovesAListThatGoesMeanwhileIsAnswered() async throws {
        let hosts = ModelHosts(2)
        try await hosts.allConnected { spaces in
            try await hosts.shareList(among: spaces)
            for _ in 0..<3 { for daemon in hosts.daemons { await daemon.remove(list) } }
            #expect(await hosts.daemons[0].pendingRemovalCount > 1, "the later ones are to meet a list that has gone")
            try await hosts.until(spaces, "all were answered") {
                let counts = (await hosts.daemons[0].pendingRemovalCount, await hosts.daemons[1].pendingRemovalCount)
                return counts == (0, 0)
            }
        }
    }

    @Test func aDaemonHearsWhichHostsAreThereAndAgainAfterItWasMistaken() async throws {
        var limits = SharingLimits()
        limits.hostPatience = .zero
        let hosts = ModelHosts(1, limits: limits)
        let (daemon, other) = (hosts.daemons[0], hosts.register.keys.host("other"))
        try await hosts.allConnected { spaces in
            try await hosts.shareList(among: spaces)
            #expect(await daemon.hostsTold == [[]])
            _ = try await hosts.engine.run(Transaction([.put(key: other, value: "{}")]))
            _ = await spaces[0].hear([.put(StoredValue(key: other, value: "{}", createRevision: 1, modRevision: 1))])
            for _ in 0..<2 { try await spaces[0].look() }
            #expect(await daemon.hostsTold == [[], ["other"]])
            let count = await daemon.settled.count
            await daemon.write(list, absent: ["other"])
            try await hosts.until(spaces, "it was answered") { await daemon.settled.count > count }
            #expect(await daemon.settled.last == .refused)
            #expect(await daemon.lists[list]?.isLive == true, "nothing waits for it")
            try await hosts.until(spaces, "it is told once more") { await daemon.hostsTold.count == 3 }
            #expect(await daemon.hostsTold.last == ["other"])
            #expect(await hosts.engine.values.keys.allSatisfy { !$0.contains("/turns/") }, "its turn is given up")
            _ = try await hosts.engine.run(Transaction([.delete(.key(other))]))
            _ = await spaces[0].hear([.deleted(key: other, revision: 2)])
            try await spaces[0].look()
            #expect(await daemon.hostsTold.last == [])
            let acknowledged = await daemon.acknowledged.count
            await daemon.write(list, absent: ["other"])
            try await hosts.until(spaces, "it is in the log") { await daemon.acknowledged.count > acknowledged }
        }
    }

    @Test(arguments: ["a\u{1}b", "", "a b", "\u{7F}", "\u{85}", String(repeating: "x", count: 65), "x/y", "\"", "é"])
    func aKeyThatIsNoNameOfAHostIsIgnoredAndSaidOnce(_ name: String) async throws {
        var limits = SharingLimits()
        limits.hostPatience = .zero
        let (hosts, said) = (ModelHosts(1, limits: limits), Said())
        let (daemon, keys) = (hosts.daemons[0], hosts.register.keys)
        for host in [name, "other"] {
            _ = try await hosts.engine.run(Transaction([.put(key: keys.host(host), value: "{}")]))
        }
        try await hosts.connected(0, say: { said.append($0) }) { space in
            try await hosts.until([space], "the daemon hears of the other host") {
                await daemon.hostsTold.last == ["other"]
            }
            _ = try await hosts.engine.run(Transaction([.delete(.key(keys.host("other")))]))
            _ = await space.hear([.deleted(key: keys.host("other"), revision: 9)])
            try await hosts.until([space], "the daemon hears that it has gone") { await daemon.hostsTold.last == [] }
        }
        #expect(said.lines.count == 1)
        #expect(
            said.lines.first?.contains("are not names of hosts, such as \(String(name.prefix(64)).debugDescription)")
                == true)
    }

    @Test func listsThatEtcdLostAreLookedForLessAndLessOften() async throws {
        let (hosts, count) = (ModelHosts(1), 250)
        let names = (0..<count).map { "f\($0)" }
        for name in names {
            _ = try await hosts.register.begin(name, ListRecord(id: "E-\(name)", access: "{}"))
        }
        try await hosts.connected(0) { space in
            try await hosts.until([space], "the daemon has them") {
                await hosts.daemons[0].lists.values.count(where: \.isLive) == count
            }
            let copy = await hosts.engine.copy()
            await hosts.engine.restore([:])
            try await hosts.until([space], "none is live") {
                await hosts.daemons[0].lists.values.allSatisfy { !$0.isLive }
            }
            let (before, looks) = (await hosts.engine.transactions, 25)
            for _ in 0..<looks { try await space.look() }
            // The calls that read the names.
            #expect(await hosts.engine.transactions - before <= 2 * looks)
            for _ in 0..<200 { try await space.look() }
            // After 30 polls, each list is checked once.
            #expect(await hosts.engine.transactions - before <= 2 * 225 + 2 * count + 3)
            await hosts.engine.restore(copy)
            try await space.look()
            try await hosts.until([], "they are live at once") {
                await hosts.daemons[0].lists.values.count(where: \.isLive) == count
            }
            #expect(await hosts.daemons[0].gone.isEmpty)
        }
    }

    @Test func aListThatTheDaemonNeverHadIsForgottenWithItsKeys() async throws {
        let hosts = ModelHosts(1)
        let list = list
        await hosts.daemons[0].keepOrdinary(list)
        _ = try await hosts.register.begin(list, ListRecord(id: "E1", access: "{}"))
        try await hosts.connected(0) { space in
            try await space.look()
            #expect(await space.keeper(of: list) != nil)
            await hosts.engine.restore([:])
            try await hosts.until([space], "it is forgotten") { await space.keeper(of: list) == nil }
        }
        #expect(await hosts.daemons[0].gone.isEmpty)
    }

    @Test func manyListsThatEndAtOnceHaveFewLooks() async throws {
        let (hosts, count) = (ModelHosts(1), 250)
        try await hosts.connected(0) { space in
            for number in 0..<count {
                _ = try await hosts.register.begin("f\(number)", ListRecord(id: "E\(number)", access: "{}"))
            }
            try await hosts.until([space], "the daemon has them") {
                await hosts.daemons[0].lists.values.count(where: \.isLive) == count
            }
            for number in 0..<count {
                #expect(try await hosts.register.end("f\(number)", "E\(number)") == .done)
            }
            let before = await hosts.engine.transactions
            try await space.look()
            try await hosts.until([], "all have gone") { await hosts.daemons[0].lists.isEmpty }
            for _ in 0..<2_000 { await Task.yield() }
            // Two for each list, plus the polls. With a poll for each list there would be 1,000 more.
            #expect(await hosts.engine.transactions - before < 3 * count)
        }
    }

    @Test func aListThatEtcdLostIsNotDeleted() async throws {
        let hosts = ModelHosts(1)
        try await hosts.allConnected { spaces in
            try await hosts.shareList(among: spaces)
            try await write(hosts, spaces, 0, count: 2)
            await hosts.engine.restore([:])
            try await hosts.until(spaces, "it is not live") { await hosts.daemons[0].lists[list]?.isLive == false }
            #expect(await hosts.daemons[0].lists[list]?.texts.count == 2)
            #expect(await hosts.daemons[0].gone.isEmpty)
        }
    }

    @Test func anEtcdThatLostAListGetsItFromACopy() async throws {
        let hosts = ModelHosts(3)
        try await hosts.allConnected { spaces in
            try await hosts.shareList(among: spaces)
            try await write(hosts, spaces, 0, count: 6)
            try await hosts.until(spaces, "all are equal") { await hosts.areEqual() }
            let ofTwo = try await hosts.daemons[1].checkpoint(of: list)
            #expect(try await !hosts.register.recover(list, from: ofTwo), "etcd has it")
            await hosts.engine.restore([:])
            for space in spaces { try await space.look() }
            #expect(try await hosts.register.recover(list, from: ofTwo))
            #expect(try await !hosts.register.recover(list, from: ofTwo), "once is enough")
            try await hosts.until(spaces, "all are live again") { await hosts.areEqual() }
            #expect(try await hosts.head()?.epoch == "E1")
            try await write(hosts, spaces, 2, count: 2)
            try await hosts.until(spaces, "all are equal") { await hosts.areEqual() }
            try await hosts.expectTruth()
            await hosts.daemons[0].remove(list)
            try await hosts.until(spaces, "it went") { await hosts.daemons[2].lists[list] == nil }
            #expect(try await !hosts.register.recover(list, from: ofTwo), "it was deleted")
        }
    }

    @Test func hostsThatLackTheEndOfARecoveredListGetIt() async throws {
        let hosts = ModelHosts(2)
        try await hosts.connected(0) { space in
            await hosts.daemons[0].share(list, as: "E1")
            try await write(hosts, [space], 0, count: 3)
        }
        try await hosts.allConnected { try await hosts.until($0, "all are equal") { await hosts.areEqual() } }
        try await hosts.connected(0) { try await write(hosts, [$0], 0, count: 3) }
        await hosts.engine.restore([:])
        #expect(try await hosts.register.recover(list, from: hosts.daemons[0].checkpoint(of: list)))
        try await hosts.allConnected { spaces in
            try await hosts.until(spaces, "all are equal") { await hosts.areEqual() }
            #expect(await hosts.daemons[1].lists[list]?.texts.count == 6)
            try await hosts.expectTruth()
        }
    }

    @Test func whileEtcdIsFullItIsSaidAndTheListStaysLive() async throws {
        let (hosts, said) = (ModelHosts(1), Said())
        let daemon = hosts.daemons[0]
        try await hosts.connected(0, say: { said.append($0) }) { space in
            await daemon.share(list, as: "E1")
            try await write(hosts, [space], 0, count: 2)
            await hosts.engine.setFull(true)
            await daemon.write(list)
            try await hosts.until([], "it is answered") { await daemon.settled.last == .full }
            #expect(await space.keeper(of: list)?.isLive == true)
            #expect(said.lines.last?.contains("etcdctl alarm disarm") == true, "\(said.lines)")
            await hosts.engine.setFull(false)
            try await write(hosts, [space], 0, count: 1)
        }
        try await hosts.expectTruth()
    }

    @Test func aBatchInPiecesIsWholeOrMissingAndGoesWithTheLog() async throws {
        var limits = SharingLimits()
        (limits.batchesBetweenCheckpoints, limits.batchesKept) = (10, 3)
        let hosts = ModelHosts(2, limits: limits, pieceLengthMax: 20)
        try await hosts.connected(0) { space in
            await hosts.daemons[0].share(list, as: "E1")
            try await write(hosts, [space], 0, count: 5)
        }
        try await hosts.allConnected { spaces in
            await hosts.listen(spaces)
            try await hosts.until(spaces, "all are equal") { await hosts.areEqual() }
            #expect(await hosts.daemons[1].statesTaken == 0, "it reads the log")
            try await write(hosts, spaces, 1, count: 30)
            try await hosts.until(spaces, "a checkpoint is in force") {
                (try? await hosts.head()?.checkpoint?.position.batch) ?? 0 >= 30
            }
            try await hosts.until(spaces, "all are equal") { await hosts.areEqual() }
            try await hosts.expectTruth()
        }
        let head = try #require(try await hosts.head())
        let batches = await Set(
            hosts.engine.values.keys.filter { $0.contains("/pieces/") }.map { String($0.split(separator: "/")[5]) })
        #expect(!batches.isEmpty && batches.allSatisfy { Int($0) ?? 0 >= head.oldest }, "\(batches)")
        // Without one piece, there is no text.
        let key = try #require(await hosts.engine.values.keys.filter { $0.contains("/pieces/") }.max())
        _ = try await hosts.engine.run(Transaction([.delete(.key(key))]))
        #expect(try await hosts.register.log("E1").batches(after: head.position.batch - 1) == [])
    }

    @Test(arguments: ["", "abc", "abcdefghi", "äöüß€𝄞", "aä€𝄞aä€𝄞"])
    func piecesOfATextAreTheTextAndValid(_ text: String) {
        for length in 4...9 {
            let pieces = text.pieces(of: length)
            #expect(pieces.joined() == text && pieces.allSatisfy { 1...length ~= $0.utf8.count })
        }
    }

    @Test func aNameThatTheDaemonGaveAwayIsLeftAlone() async throws {
        let hosts = ModelHosts(2)
        try await hosts.allConnected { spaces in
            await hosts.daemons[1].keepOrdinary(list)
            await hosts.daemons[0].share(list, as: "E1")
            try await write(hosts, spaces, 0, count: 3)
            #expect(await hosts.daemons[1].lists[list] == nil)
            #expect(try await hosts.head()?.position.batch == 3)
        }
    }

    @Test func aHostThatWasAwayTakesBatchesOrTheStateAndTheLogIsShort() async throws {
        var limits = SharingLimits()
        (limits.batchesBetweenCheckpoints, limits.batchesKept) = (10, 3)
        let hosts = ModelHosts(2, limits: limits)
        try await hosts.connected(0) { space in
            await hosts.daemons[0].share(list, as: "E1")
            try await write(hosts, [space], 0, count: 35)
            try await hosts.until([space], "a checkpoint is in force") {
                (try? await hosts.head()?.checkpoint?.position.batch) ?? 0 >= 30
            }
            let logged = await hosts.engine.values.keys.count { $0.contains("/log/") }
            #expect(logged <= 35 - 30 + 3 + 5)
        }
        try await hosts.allConnected { spaces in
            try await hosts.until(spaces, "all are equal") { await hosts.areEqual() }
            #expect(await hosts.daemons[1].statesTaken == 1)
            try await hosts.expectTruth()
        }
    }

    @Test func anOlderEtcdThatIsRestoredGivesTheListANewEpoch() async throws {
        var limits = SharingLimits()
        (limits.batchesBetweenCheckpoints, limits.batchesKept) = (4, 1)
        let hosts = ModelHosts(2, limits: limits)
        try await hosts.allConnected { spaces in
            try await hosts.shareList(among: spaces)
            try await write(hosts, spaces, 0, count: 6)
            let copy = await hosts.engine.copy()
            try await write(hosts, spaces, 1, count: 3)
            await hosts.engine.restore(copy)
            try await hosts.until(spaces, "a new epoch is live at all") {
                let epoch = await hosts.daemons[0].lists[list]?.epoch
                let isLive = await hosts.areEqual()
                return isLive && epoch != "E1"
            }
            #expect(await hosts.daemons[0].lists[list]?.texts.count == 6)
            #expect(await hosts.daemons[1].lists[list]?.texts.count == 6)
            #expect(await hosts.daemons[1].gone == ["E1"])
            try await write(hosts, spaces, 1, count: 2)
            try await hosts.until(spaces, "all are equal") { await hosts.areEqual() }
        }
    }

    @Test func aListThatGoesOnUnderANewEpochIsThereWithoutAnotherLook() async throws {
        let hosts = ModelHosts(1)
        try await hosts.allConnected { spaces in
            try await hosts.shareList(among: spaces)
            try await write(hosts, spaces, 0, count: 2)
            let copy = await hosts.engine.copy()
            try await write(hosts, spaces, 0, count: 2)
            await hosts.engine.restore(copy)
            try await spaces[0].look()
            try await eventually("the engine has a new epoch") { try await hosts.head()?.epoch != "E1" }
            try await spaces[0].look()
            try await eventually("the daemon has it") { await hosts.areEqual() }
        }
    }

    /// Waits without polling etcd.
    private func eventually(_ comment: Comment, _ holds: () async throws -> Bool) async throws {
        for _ in 0..<20_000 {
            if try await holds() { return }
            try await Task.sleep(for: .milliseconds(1))
        }
        try #require(await holds(), comment)
    }

    @Test func aHeadThatWasReadBeforeTheReplicaCameSoFarIsNoRestoredEtcd() async throws {
        let hosts = ModelHosts(1)
        try await hosts.allConnected { spaces in
            try await hosts.shareList(among: spaces)
            try await write(hosts, spaces, 0, count: 2)
            let old = try await hosts.register.log("E1").head()
            try await write(hosts, spaces, 0, count: 2)
            let keeper = try #require(await spaces[0].keeper(of: list))
            await keeper.look(old)
            try await write(hosts, spaces, 0, count: 2)
            #expect(try await hosts.head()?.epoch == "E1")
            #expect(try await hosts.head()?.position.batch == 6)
        }
    }

    @Test func repeatedAndRewoundNewsChangesNothing() async throws {
        let hosts = ModelHosts(2)
        try await hosts.allConnected { spaces in
            await hosts.listen(spaces)
            try await hosts.shareList(among: spaces)
            try await write(hosts, spaces, 0, count: 5)
            let past = await hosts.engine.values.values.map { EngineEvent.put($0) }
            try await write(hosts, spaces, 1, count: 5)
            for _ in 0..<3 { for space in spaces { _ = await space.hear(past.reversed()) } }
            try await write(hosts, spaces, 0, count: 1)
            try await hosts.until(spaces, "all are equal") { await hosts.areEqual() }
            try await hosts.expectTruth()
        }
    }

    /// Three hosts write while calls and answers are lost or late and connections end; then everything settles.
    @Test(arguments: 0..<20) func nothingThatWasAcknowledgedIsLostWhateverFails(_ seed: UInt64) async throws {
        var limits = SharingLimits()
        (limits.batchesBetweenCheckpoints, limits.batchesKept) = (7, 2)
        // Half of the runs have every batch in pieces.
        let hosts = ModelHosts(
            3, seed: seed, limits: limits, pieceLengthMax: seed.isMultiple(of: 2) ? 512 << 10 : 20)
        var random = SplitMix64(seed: seed &+ 1_000)
        try await hosts.allConnected { try await hosts.shareList(among: $0) }
        await hosts.engine.set(
            ModelEngine.Faults(lostCalls: 0.05, lostAnswers: 0.05, lateCalls: 0.05, refusals: 0.03))
        for round in 0..<6 {
            let steps = (0..<60).map { _ in
                (Int.random(in: 0..<3, using: &random), Int.random(in: 0..<6, using: &random))
            }
            try await hosts.allConnected { spaces in
                if round.isMultiple(of: 2) {
                    await hosts.engine.listen { events in
                        for space in spaces { _ = await space.hear(events) }
                    }
                }
                for (host, step) in steps {
                    switch step {
                    case 0: try? await spaces[host].look()
                    case 1: await hosts.daemons[host].confirm(list)
                    default: await hosts.daemons[host].write(list)
                    }
                    for _ in 0..<10 { await Task.yield() }
                }
            }
        }
        await hosts.engine.set(ModelEngine.Faults())
        try await hosts.allConnected { spaces in
            try await hosts.until(spaces, "nothing is in doubt") {
                var isSettled = true
                for daemon in hosts.daemons where await daemon.lists[list]?.doubt != nil {
                    isSettled = false
                    await daemon.write(list)
                }
                return isSettled
            }
            await hosts.engine.settle()
            try await hosts.until(spaces, "all are equal") { await hosts.areEqual() }
            try await hosts.expectTruth()
            #expect(try await hosts.head()?.epoch == "E1")
            var acknowledged = 0
            for daemon in hosts.daemons { acknowledged += await daemon.acknowledged.count }
            #expect(acknowledged > 0)
        }
    }
}

/// The messages of a connector.
private final class Said: Sendable {
    private let kept = Mutex<[String]>([])

    func append(_ line: String) { kept.withLock { $0.append(line) } }
    var lines: [String] { kept.withLock { $0 } }
}
