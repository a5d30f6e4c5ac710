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
        let client = etcd.client(isFair: false)
        let patience = Duration.seconds(4 * etcd.endpoints.count)
        let text = await withTaskGroup(of: String?.self) { group in
            group.addTask {
                await client.run()
                return nil
            }
            group.addTask {
                await client.connected()
                return try? await lines(client).joined(separator: "\n")
            }
            group.addTask {
                try? await Task.sleep(for: patience)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        guard let text else {
            say("no etcd answers; check --endpoints, and that etcd runs there: \(await client.failure)")
            throw ExitCode(69)
        }
        print(text)
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
