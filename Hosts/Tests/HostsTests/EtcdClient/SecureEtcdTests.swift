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
        var deadlines = EtcdClient.Deadlines()
        deadlines.greeting = .milliseconds(1_500)
        let (reports, report) = AsyncStream.makeStream(of: String.self)
        let client = EtcdClient([endpoint], certificates, deadlines: deadlines) {
            report.yield($0)
        } pause: { _ in
            .milliseconds(50)
        }
        return await withTaskGroup(of: Void.self) { group in
            group.addTask { await client.run() }
            // etcd may not listen yet at the first attempt.
            for await words in reports.prefix(12) where !words.contains("refused") && !words.contains("timed out") {
                group.cancelAll()
                return words
            }
            group.cancelAll()
            return "it said nothing of certificates"
        }
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
}
