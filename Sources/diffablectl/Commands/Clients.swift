import ArgumentParser
import Diffable
import DiffableClient
import DiffableInput

struct Clients: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Say who is connected, which lists they follow, and how far behind they are.",
        discussion: """
            BEHIND is how many revisions a client has still to be sent of the list that it is farthest behind with, and \
            PENDING how many bytes its socket has not taken. HANDLES, if there are any, are the lists that it answers for, and \
            ASKED how many requests wait for its answer. Root and the daemon's own user see everybody, others \
            their own connections; this command's own is among them.
            """)

    @Flag(help: "The daemon's answer as JSON.") var json = false
    @OptionGroup var daemon: DaemonOptions

    func run() async throws {
        let reply = Content(try await daemon.reading { try await $0.clientsJSON() })
        var output = StandardOutput()
        if json {
            output.json(reply.bytes)
        } else {
            output.table(table(ClientFigures.all(in: JSONView(reply))))
        }
        output.flush()
    }

    private func table(_ clients: [ClientFigures]) -> TextTable {
        let handling = clients.contains { !$0.handledLists.isEmpty }
        var head: [(String, TextTable.Alignment)] = [
            ("NAME", .left), ("USER", .left), ("PID", .right), ("CONNECTED", .right), ("REQUESTS", .right),
            ("BEHIND", .right), ("PENDING", .right),
        ]
        if handling { head += [("ASKED", .right), ("HANDLES", .left)] }
        var table = TextTable(head + [("LISTS", .left)])
        for client in clients {
            let columns = [
                client.shownName, client.shownUser, client.shownProcess,
                shownDuration(seconds: client.connectedSeconds), grouped(client.requests), grouped(client.behind),
                grouped(client.pendingBytes),
            ]
            let handled = client.handledLists.isEmpty ? "-" : client.handledLists.joined(separator: ",")
            table.append(
                columns + (handling ? [grouped(client.pendingRequests), handled] : [])
                    + [client.lists.joined(separator: ", ")])
        }
        return table
    }
}
