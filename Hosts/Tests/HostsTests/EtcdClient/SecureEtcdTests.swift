import EtcdClient
import SharedLog
import Testing

/// A real etcd that requires client certificates.
@Suite(
    .enabled(if: LocalEtcd.isInstalled, "etcd is not installed: apt-get install etcd-server"),
    .enabled(if: TestCertificates.canBeMade, "openssl is not installed: apt-get install openssl"), .serialized)
struct SecureEtcdTests {
    private let certificates: TestCertificates

    init() throws {
        certificates = try TestCertificates()
        try certificates.make("etcd", names: "IP:127.0.0.1")
        try certificates.make("host", names: "DNS:host")
    }

    private func etcd(as name: String = "etcd") throws -> LocalEtcd {
        try LocalEtcd(
            scheme: "https",
            [
                "--client-cert-auth", "--trusted-ca-file", certificates.certificate("authority"), "--cert-file",
                certificates.certificate(name), "--key-file", certificates.key(name),
            ])
    }

    private func we(_ name: String? = "host", trusting authority: String = "authority") -> ClientCertificates {
        ClientCertificates(
            certificate: name.map(certificates.certificate), key: name.map(certificates.key),
            authority: certificates.certificate(authority))
    }

    // With TLS, etcd 3.4 sends so few PINGs that this passes even without `PingAnswering`. Another version may send more, as it
    // does without TLS, and a connection has to last there too.
    @Test func aThousandCallsGoOverOneConnection() async throws {
        let etcd = try etcd()
        try await withClient([etcd.endpoint], we()) { client in
            for number in 1...1_200 {
                _ = try await client.run(Transaction([.put(key: "/test/\(number % 7)", value: "\(number)")]))
            }
            let result = try await client.run(Transaction([.get(.key("/test/3"))]))
            #expect(result.found.first?.first?.value == "1200")
        }
    }

    /// Returns the error if the connection fails.
    private func failure(_ endpoint: Endpoint, _ certificates: ClientCertificates) async -> String {
        let words = await report(of: endpoint, certificates) { !$0.contains("--listen-client-urls") }
        return words ?? "it said nothing of certificates"
    }

    @Test func whoHasNoCertificateIsTold() async throws {
        let etcd = try etcd()
        let words = try await failure(etcd.endpoint, we(nil))
        #expect(words.contains("--cert and --key"), "\(words)")
    }

    @Test func anEtcdThatAnotherAuthoritySignedIsNotTrusted() async throws {
        let etcd = try etcd()
        try certificates.makeAuthority("other")
        let words = try await failure(etcd.endpoint, we(trusting: "other"))
        #expect(words.contains("--cacert"), "\(words)")
    }

    @Test func anEtcdOfAnotherNameIsNotTrusted() async throws {
        try certificates.make("elsewhere", names: "DNS:etcd.example,IP:127.0.0.9")
        let etcd = try etcd(as: "elsewhere")
        let words = try await failure(etcd.endpoint, we())
        #expect(words.contains("another name") && words.contains("--endpoints"), "\(words)")
    }

    @Test func anEtcdWhoseCertificateHasExpiredIsNotTrusted() async throws {
        try certificates.make("old", names: "IP:127.0.0.1", days: -1)
        let etcd = try etcd(as: "old")
        let words = try await failure(etcd.endpoint, we())
        #expect(words.contains("expired"), "\(words)")
    }

    @Test func ourOwnCertificateThatHasExpiredIsNamed() async throws {
        try certificates.make("late", names: "DNS:late", days: -1)
        let words = try await failure(Endpoint("https://127.0.0.1:1"), we("late"))
        #expect(words.contains("late.pem has expired"), "\(words)")
    }

    @Test func aFileThatIsMissingIsNamed() async throws {
        let words = try await failure(Endpoint("https://127.0.0.1:1"), we("nobody"))
        #expect(words.contains("--cert") && words.contains("nobody.pem cannot be read"), "\(words)")
    }

    @Test func anEtcdWithoutTLSIsTold() async throws {
        let etcd = try LocalEtcd()
        let words = try await failure(Endpoint("https://127.0.0.1:\(etcd.port)"), we())
        #expect(words.contains("speaks no TLS"), "\(words)")
    }

    @Test func aKeyOfAnotherCertificateIsNamed() async throws {
        let certificates = ClientCertificates(
            certificate: certificates.certificate("host"), key: certificates.key("etcd"),
            authority: certificates.certificate("authority"))
        let words = try await failure(Endpoint("https://127.0.0.1:1"), certificates)
        #expect(words.contains("is not the key of --cert"), "\(words)")
    }

    @Test(.enabled(if: AdministratorCommands.canRun, "etcdctl is not installed: apt-get install etcd-client"))
    func aUserOfEtcdNeedsOnlyThePrefixOfItsNamespace() async throws {
        let etcd = try etcd()
        try certificates.make("root", names: "DNS:root")
        try certificates.make("build1", names: "DNS:build1")
        let prefix = SpaceKeys("default").all
        try await withClient([etcd.endpoint], we()) { _ in }
        let run = try AdministratorCommands.run(
            AdministratorCommands.of("Users of etcd"),
            [
                "ETCDCTL_ENDPOINTS": "\(etcd.endpoint)", "ETCDCTL_CACERT": certificates.certificate("authority"),
                "ETCDCTL_CERT": certificates.certificate("root"), "ETCDCTL_KEY": certificates.key("root"),
            ])
        #expect(run.isDone, "\(run.text)")

        try await withClient([etcd.endpoint], we("build1"), prefix: prefix) { (client: EtcdClient) async throws in
            let register = ListRegister(SpaceKeys("default"), of: client)
            #expect(try await register.begin("tasks", ListRecord(id: "E1", access: "{}")))
            let lease = HostLease(client, SpaceKeys("default"), of: "alpha") { _ in }
            await lease.begin()
            #expect(try await register.records(readingHosts: true).hosts == ["alpha"])
            #expect(try await register.end("tasks", "E1") == .done)
            #expect(try await client.status().hasLeader)
            await withTaskGroup(of: Void.self) { group in
                let (begun, begin) = AsyncStream.makeStream(of: Void.self)
                group.addTask {
                    try? await client.watch(prefix) {
                        begin.yield()
                    } heard: { _ in
                    }
                }
                for await _ in begun.prefix(1) { group.cancelAll() }
            }
        }
        let denied = [("build1", SpaceKeys("other").all), ("host", prefix)]
        for (name, prefix) in denied {
            let words = try await report(of: etcd.endpoint, we(name), prefix: prefix) { _ in true } ?? ""
            #expect(words.contains("has to be a user of etcd with the permission readwrite"), "\(words)")
        }
    }
}
