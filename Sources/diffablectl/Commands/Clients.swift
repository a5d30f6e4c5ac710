import ArgumentParser
import Diffable
import DiffableClient

struct Clients: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Say who is connected, which lists they follow, and how far behind they are.",
        discussion: """
            BEHIND is how many revisions a client has still to be sent of the list that it is farthest behind with, and \
            PENDING how many bytes its socket has not taken. Root and the daemon's own user see everybody, others \
            their own connections; this command's own is among them.
            """)

    @Flag(help: "The daemon's answer as JSON.") var json = false
    @OptionGroup var daemon: DaemonOptions

    func run() async throws {
        let reply = Content(try await daemon.withConnection { try await $0.clientsJSON() })
        var output = StandardOutput()
        if json {
            output.line(reply.description)
        } else {
            for line in table(ClientFigures.all(in: JSONView(reply))).lines { output.line(line) }
        }
        output.flush()
    }

    private func table(_ clients: [ClientFigures]) -> TextTable {
        var table = TextTable([
            "NAME": .left, "USER": .left, "PID": .right, "CONNECTED": .right, "REQUESTS": .right, "BEHIND": .right,
            "PENDING": .right, "LISTS": .left,
        ])
        for client in clients {
            table.append([
                client.shownName, client.shownUser, client.shownProcess,
                shownDuration(seconds: client.connectedSeconds), grouped(client.requests), grouped(client.behind),
                grouped(client.pendingBytes), client.lists.joined(separator: ", "),
            ])
        }
        return table
    }
}
