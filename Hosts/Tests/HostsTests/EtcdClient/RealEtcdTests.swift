import EtcdClient
import Glibc
import SharedLog
import Testing

/// Tests that need a real etcd. Without it (apt-get install etcd-server) they are skipped.
@Suite(.enabled(if: LocalEtcd.isInstalled, "etcd is not installed: apt-get install etcd-server"), .serialized)
struct RealEtcdTests {
    // swift-nio-http2 closes a connection after 200 PINGs, and etcd sends one for nearly each call.
    @Test func aThousandCallsGoOverOneConnection() async throws {
        let etcd = try LocalEtcd()
        try await withClient([etcd.endpoint]) { client in
            for number in 1...1_000 {
                _ = try await client.run(Transaction([.put(key: "/test/\(number % 7)", value: "\(number)")]))
            }
            let result = try await client.run(Transaction([.get(.key("/test/6"))]))
            #expect(result.found.first?.first?.value == "1000")
        }
    }

    @Test func aTransactionComparesBeforeItChanges() async throws {
        let etcd = try LocalEtcd()
        try await withClient([etcd.endpoint]) { client in
            let put = Transaction(if: [.absent("/a")], [.put(key: "/a", value: "1")], otherwise: [.get(.key("/a"))])
            let first = try await client.run(put)
            #expect(first.succeeded)
            let second = try await client.run(put)
            #expect(!second.succeeded)
            #expect(second.found.first?.first?.modRevision == first.revision)
            let gone = try await client.run(
                Transaction(
                    if: [Comparison("/a", changedAt: first.revision)],
                    [.delete(.prefix("/")), .put(key: "b", value: "")]))
            #expect(gone.succeeded)
            #expect(try await client.run(Transaction([.get(.prefix("/"))])).found == [[]])
        }
    }

    @Test func rangesAndLimitsAreAsInTheModel() async throws {
        let etcd = try LocalEtcd()
        try await withClient([etcd.endpoint]) { client in
            for key in ["/a/1", "/a/2", "/a/3", "/b"] {
                _ = try await client.run(Transaction([.put(key: key, value: key)]))
            }
            let result = try await client.run(
                Transaction([
                    .get(.prefix("/a/")), .get(.between("/a/2", "/a~")), .get(.prefix("/"), limit: 2), .get(.key("/c")),
                ]))
            #expect(
                result.found.map { $0.map(\.value) } == [
                    ["/a/1", "/a/2", "/a/3"], ["/a/2", "/a/3"], ["/a/1", "/a/2"], [],
                ])
        }
    }

    /// In an early test, a host that was away during many writes never caught up.
    @Test func aLogOfTheLongestBatchesIsRead() async throws {
        let etcd = try LocalEtcd()
        try await withClient([etcd.endpoint]) { client in
            let (keys, count) = (SpaceKeys("default"), 70)
            let longest = String(repeating: "x", count: 512 << 10)
            for batch in 1...count {
                _ = try await client.run(Transaction([.put(key: keys.log("E1", batch), value: longest)]))
            }
            let log = ListLog("E1", in: keys, of: client)
            var read = 0
            while case let texts = try await log.batches(after: read), !texts.isEmpty { read += texts.count }
            #expect(read == count)
        }
    }

    @Test func aBatchOfManyMegabytesIsAppendedAtOnce() async throws {
        let etcd = try LocalEtcd()
        try await withClient([etcd.endpoint]) { client in
            let register = ListRegister(SpaceKeys("default"), of: client)
            #expect(try await register.begin("tasks", ListRecord(id: "E1", access: "{}")))
            let (log, text) = (register.log("E1"), String(repeating: "ä€𝄞x", count: 1_700_000))
            let known = try #require(try await log.head())
            let position = Position(batch: 1, revision: 1, chain: "1")
            let outcome = try await log.append(text, to: position, after: known, by: "a")
            guard case .done = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(try await log.batches(after: 0) == [text])
            #expect(try await register.end("tasks", "E1") == .done)
            #expect(try await client.run(Transaction([.get(.prefix(register.keys.life("E1")))])).found == [[]])
        }
    }

    @Test(.enabled(if: AdministratorCommands.canRun, "etcdctl is not installed: apt-get install etcd-client"))
    func afterTheStepsOfThePageAFullEtcdOfThreeMembersHasSpace() async throws {
        let members = try LocalEtcd.cluster(["--quota-backend-bytes=16777216"])
        let endpoints = try members.map { try $0.endpoint }
        try await withClient(endpoints) { client in
            let value = String(repeating: "x", count: 1 << 20)
            var error: EngineError?
            for _ in 0..<60 where error != .full {
                do throws(EngineError) {
                    _ = try await client.run(Transaction([.put(key: "/a", value: value)]))
                } catch let caught { error = caught }
            }
            #expect(error == .full)
            let steps = try AdministratorCommands.of("If etcd is full")
            let environment = ["ETCDCTL_ENDPOINTS": endpoints.map { "\($0)" }.joined(separator: ",")]
            let run = try AdministratorCommands.run(steps, environment)
            #expect(run.isDone, "\(run.text)")
            for _ in 0..<5 { _ = try await client.run(Transaction([.put(key: "/a", value: value)])) }
            #expect(try AdministratorCommands.run("etcdctl alarm list", environment).text == "")
        }
    }

    @Test func anEndpointThatDoesNotAnswerIsNamedWithTheRemedy() async throws {
        // It accepts connections and is silent.
        let (listener, silentPort) = try LocalEtcd.boundSocket()
        defer { close(listener) }
        #expect(listen(listener, 16) == 0)
        for port in [try LocalEtcd.freePort(), silentPort] {
            let endpoint = try Endpoint("http://127.0.0.1:\(port)")
            let words = await report(of: endpoint) { _ in true } ?? ""
            #expect(words.hasPrefix("\(endpoint): ") && words.contains("--listen-client-urls"), "\(words)")
        }
    }

    @Test func whatIsTooLargeIsRefusedForCertain() async throws {
        let etcd = try LocalEtcd()
        try await withClient([etcd.endpoint]) { client in
            let large = String(repeating: "x", count: 2 << 20)
            let error = await #expect(throws: EngineError.self) {
                try await client.run(Transaction([.put(key: "/a", value: large)]))
            }
            if case .refused = error {} else { Issue.record("\(String(describing: error))") }
            // The connection still works.
            _ = try await client.run(Transaction([.put(key: "/a", value: "")]))
        }
    }

    @Test func aWatchHearsWhatIsPutAndDeleted() async throws {
        let etcd = try LocalEtcd()
        try await withClient([etcd.endpoint]) { client in
            let (heard, hear) = AsyncStream.makeStream(of: EngineEvent.self)
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    try? await client.watch("/a/") {
                        _ = try await client.run(
                            Transaction([.put(key: "/a/1", value: "one"), .put(key: "/b", value: "")]))
                        _ = try await client.run(Transaction([.delete(.key("/a/1"))]))
                    } heard: {
                        for event in $0 { hear.yield(event) }
                    }
                }
                var events = heard.makeAsyncIterator()
                let first = await events.next()
                if case .put(let stored) = first { #expect(stored.value == "one") } else { Issue.record("no put") }
                let second = await events.next()
                if case .deleted(let key, _) = second { #expect(key == "/a/1") } else { Issue.record("not deleted") }
                group.cancelAll()
            }
        }
    }

    @Test func whatIsUnderALeaseGoesWithIt() async throws {
        let etcd = try LocalEtcd()
        try await withClient([etcd.endpoint]) { client in
            let lease = try await client.grantLease(for: .seconds(60))
            _ = try await client.run(Transaction([.put(key: "/host", value: "", lease: lease)]))
            #expect(try await client.keepAlive(lease))
            try await client.revoke(lease)
            #expect(try await client.run(Transaction([.get(.key("/host"))])).found == [[]])
            #expect(try await !client.keepAlive(lease))
        }
    }

    @Test func aMemberThatDoesNotListenIsPassedOver() async throws {
        let etcd = try LocalEtcd()
        let nobody = try Endpoint("http://127.0.0.1:\(LocalEtcd.freePort())")
        var deadlines = EtcdClient.Deadlines()
        deadlines.greeting = .milliseconds(500)
        try await withClient([nobody, etcd.endpoint], deadlines: deadlines) { client in
            let endpoint = try etcd.endpoint
            #expect(await client.endpoint == endpoint)
            #expect(try await client.status().hasLeader)
        }
    }

    @Test func afterItsEndNothingIsSentAndAfterAStartItGoesOn() async throws {
        let etcd = try LocalEtcd()
        try await withClient([etcd.endpoint]) { client in
            _ = try await client.run(Transaction([.put(key: "/a", value: "1")]))
            etcd.kill()
            // The first call detects it, and no later one has an unknown outcome.
            do { _ = try await client.run(Transaction([.put(key: "/a", value: "2")])) } catch {}
            await #expect(throws: EngineError.self) { try await client.run(Transaction([.put(key: "/a", value: "3")])) }
            try etcd.start()
            await client.connected()
            #expect(try await client.run(Transaction([.get(.key("/a"))])).found.first?.first?.value == "1")
        }
    }

    @Test func aListIsKeptInEtcdAsInTheModel() async throws {
        let etcd = try LocalEtcd()
        try await withClient([etcd.endpoint]) { client in
            let register = ListRegister(SpaceKeys("default"), of: client)
            #expect(try await register.begin("tasks", ListRecord(id: "E1", access: "{}")))
            #expect(try await !register.begin("tasks", ListRecord(id: "E2", access: "{}")))
            let log = register.log("E1")
            var known = try #require(try await log.head())
            for batch in 1...5 {
                let position = Position(batch: batch, revision: batch, chain: "\(batch)")
                let outcome = try await log.append("text \(batch)", to: position, after: known, by: "a")
                if case .done(let head) = outcome { known = head }
                #expect(outcome == .done(known))
            }
            #expect(try await log.head() == known)
            #expect(try await log.batches(after: 2) == ["text 3", "text 4", "text 5"])
            let written = try await log.write(["one", "two"], at: Position(batch: 4, revision: 4, chain: "4"))
            let place = try #require(written)
            #expect(try await log.putInForce(place, keeping: 1)?.head.oldest == 4)
            #expect(try await log.batches(after: 2) == [])
            #expect(try await log.batches(after: 3) == ["text 4", "text 5"])
            #expect(try await log.state(place) == ["one", "two"])
            #expect(try await register.begin(anew: "tasks", "E1", as: "E3"))
            #expect(try await register.records()["tasks"]?.id == "E3")
            #expect(try await register.log("E3").state(place) == ["one", "two"])
            #expect(try await register.log("E3").batches(after: 3) == ["text 4", "text 5"])
            #expect(try await register.hasEnded("E1"))
            #expect(try await register.end("tasks", "E3") == .done)
            #expect(try await log.head() == nil)
        }
    }

    @Test func aHostIsThereAsLongAsItsKeyIsKept() async throws {
        let etcd = try LocalEtcd()
        try await withClient([etcd.endpoint]) { client in
            let keys = SpaceKeys("default")
            let register = ListRegister(keys, of: client)
            var times = HostLease.Times()
            (times.life, times.interval, times.retry) = (.seconds(2), .milliseconds(200), .milliseconds(100))
            let lease = HostLease(client, keys, of: "alpha", times: times) { _ in }
            await lease.begin()
            #expect(try await register.records(readingHosts: true).hosts == ["alpha"])
            let keeping = Task { await lease.keep() }
            let other = HostLease(client, keys, of: "alpha", times: times) { _ in }
            await other.begin()
            // Longer than the lease lasts.
            try await Task.sleep(for: .seconds(4))
            #expect(try await register.records(readingHosts: true).hosts == ["alpha"])
            keeping.cancel()
            await keeping.value
            #expect(try await register.records(readingHosts: true).hosts == [], "the host says itself that it goes")
            // A lease without keep-alives ends too.
            await other.begin()
            #expect(try await register.records(readingHosts: true).hosts == ["alpha"])
            try await eventually { try await register.records(readingHosts: true).hosts == [] }
        }
    }

    @Test func whatAHostHeldIsEndedOnlyWhenItIsGone() async throws {
        let etcd = try LocalEtcd()
        try await withClient([etcd.endpoint]) { client in
            let keys = SpaceKeys("default")
            let register = ListRegister(keys, of: client)
            #expect(try await register.begin("tasks", ListRecord(id: "E1", access: "{}")))
            let log = register.log("E1")
            let known = try #require(try await log.head())
            let alpha = HostLease(client, keys, of: "alpha") { _ in }
            await alpha.begin()
            let position = Position(batch: 1, revision: 1, chain: "1")
            let refused = try await log.append("ended", to: position, after: known, by: "beta", absent: ["alpha", "c"])
            #expect(refused == .refused)
            #expect(try await register.end("tasks", "E1", absent: ["alpha"]) == .refused)
            #expect(try await log.head() == known)
            // Another host's change wins, regardless of the present hosts.
            let other = try await log.append("other", to: position, after: known, by: "gamma")
            guard case .done(let next) = other else {
                Issue.record("\(other)")
                return
            }
            let lost = try await log.append("ended", to: position, after: known, by: "beta", absent: ["alpha"])
            #expect(lost == .lost(next))
            let keeping = Task { await alpha.keep() }
            keeping.cancel()
            await keeping.value
            let second = Position(batch: 2, revision: 2, chain: "2")
            let done = try await log.append("ended", to: second, after: next, by: "beta", absent: ["alpha"])
            guard case .done = done else {
                Issue.record("\(done)")
                return
            }
            #expect(try await log.batches(after: 0) == ["other", "ended"])
            #expect(try await register.end("tasks", "E1", absent: ["alpha"]) == .done)
        }
    }

    private func eventually(_ holds: () async throws -> Bool) async throws {
        for _ in 0..<600 {
            if try await holds() { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(try await holds())
    }
}
