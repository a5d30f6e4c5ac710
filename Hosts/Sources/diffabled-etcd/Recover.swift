import ArgumentParser
import EtcdClient
import SharedLog

/// Fills an etcd that has lost lists from this host's copies.
struct Recover: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recover", abstract: "Put this host's copies of lists into an etcd that has lost them.",
        discussion: """
            Use it on the host with the highest revision of a list (diffablectl ls). Stop the service on this host \
            before, and start it again afterwards. The other hosts continue by themselves.
              systemctl stop diffabled-etcd
              diffabled-etcd recover --endpoints http://10.0.0.1:2379 tasks
              systemctl start diffabled-etcd
            """)

    @Argument(help: "The lists. Default: all shared lists of this host that etcd does not have.")
    var lists: [String] = []
    @OptionGroup var etcd: EtcdOptions
    @OptionGroup var daemon: DaemonOptions

    func run() async throws {
        let (path, host) = (try daemon.path(), try daemon.name())
        let keys = SpaceKeys(etcd.space)
        let lists = lists
        try await etcd.withClient { client in
            do {
                try await DaemonConnection.with(path) { _ in
                } _: { daemon in
                    let copies = try await daemon.attach(as: host, in: keys.space).map(\.list)
                    try await recover(lists, of: copies, from: daemon, to: ListRegister(keys, of: client))
                }
            } catch let code as ExitCode {
                throw code
            } catch let error as EngineError {
                say("etcd did not accept a list: \(error)")
                throw ExitCode(1)
            } catch {
                say(words(for: error))
                throw ExitCode(1)
            }
        }
    }

    private func recover(
        _ lists: [String], of copies: [String], from daemon: DaemonConnection, to register: ListRegister
    ) async throws {
        if let missing = lists.first(where: { !copies.contains($0) }) {
            say("this host has no shared list \(missing.debugDescription), and nothing was recovered")
            throw ExitCode(1)
        }
        let known = try await register.records()
        var isWhole = true
        for list in lists.isEmpty ? copies.filter({ known[$0] == nil }) : lists {
            let copy = try await daemon.checkpoint(of: list)
            if try await register.recover(list, from: copy) {
                print("recovered \(list) at revision \(copy.position.revision)".harmless)
            } else {
                isWhole = false
                say("\(list.debugDescription) is in etcd already, or was deleted there, and was not recovered")
            }
        }
        if !isWhole { throw ExitCode(1) }
    }
}
