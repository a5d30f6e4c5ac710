import ArgumentParser
import EtcdClient
import Glibc
import SharedLog

/// Prints the hosts and their shared lists, from etcd alone, without a daemon.
struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Tell which hosts share which lists, and how far they are.")

    @OptionGroup var etcd: EtcdOptions

    func run() async throws {
        print(try await etcd.withClient { try await lines($0).joined(separator: "\n") })
    }

    private func lines(_ client: EtcdClient) async throws -> [String] {
        let member = try await client.status()
        let endpoint = await client.endpoint.map { "\($0)" } ?? ""
        var lines = [
            "etcd \(member.version) at \(endpoint), \(member.databaseBytes >> 20) MiB, "
                + (member.hasLeader ? "with a leader" : "without a leader")
        ]
        let keys = SpaceKeys(etcd.space)
        let hosts = try await client.run(Transaction([.get(.prefix(keys.hosts))])).found.first ?? []
        for stored in hosts { lines.append("host \(stored.key.dropFirst(keys.hosts.count))") }
        let register = ListRegister(keys, of: client)
        let records = try await register.records()
        let heads = try await register.heads(of: records.values.map(\.id))
        for (list, record) in records.sorted(by: { $0.key < $1.key }) {
            guard let head = heads[record.id]?.head else { continue }
            lines.append(
                "list \(list): revision \(head.position.revision), batch \(head.position.batch), "
                    + "log from \(head.oldest), epoch \(record.id)")
        }
        return lines.map(\.harmless)
    }
}
