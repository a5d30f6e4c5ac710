import ArgumentParser
import Diffable
import DiffableClient
import DiffableInput

struct Clients: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the connected clients, the lists they follow, and how far behind they are.",
        discussion: """
            BEHIND is the number of revisions that the daemon has not sent to the client yet; if the client follows \
            several lists, it is the largest of these numbers. PENDING is the number of bytes that the client's socket \
            has not accepted yet. If there are handlers, HANDLES names the lists that a client handles, and ASKED is \
            the number of requests that wait for its reply. Root and the daemon's own user see all connections, other \
            users only their own. This command's connection is one of them.
            """)

    @Flag(help: "Print the daemon's reply as JSON.") var json = false
    @OptionGroup var daemon: DaemonOptions

    func run() async throws {
        let reply = Content(try await daemon.withReadOnlyConnection { try await $0.clientsJSON() })
        var output = StandardOutput()
        if json {
            output.json(reply.bytes)
        } else {
            output.table(table(ClientFigures.all(in: JSONReader(reply))))
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
