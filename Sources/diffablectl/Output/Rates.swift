import Diffable
import DiffableClient
import DiffableInput

struct Sample: Sendable {
    let time = ContinuousClock.now
    let status: Content
    let lists: [ListSummary]
    let clients: Content

    init(_ connection: Connection) async throws {
        status = Content(try await connection.statusJSON())
        lists = try await connection.lists()
        clients = Content(try await connection.clientsJSON())
    }
}

/// Per second, between two samples.
struct Rates {
    let seconds: Double
    let lists: [ListRates]
    let clients: [ClientRates]
    let status: JSONReader

    struct ListRates {
        var list: String
        var subscriptions = 0
        var transactions = 0.0
        var deliveries = 0.0
        var bytes = 0.0
    }

    struct ClientRates {
        var figures: ClientFigures
        var requests: Double
        var deliveries: Double
        var bytes: Double
    }

    init(from old: Sample, to new: Sample) {
        let elapsed = old.time.duration(to: new.time) / .seconds(1)
        let before = Dictionary(
            uniqueKeysWithValues: ClientFigures.all(in: JSONReader(old.clients)).map { ($0.number, $0) })
        let clients = ClientFigures.all(in: JSONReader(new.clients))
        func rate(_ count: Int, since before: Int?) -> Double { Double(max(0, count - (before ?? 0))) / elapsed }
        self.clients = clients.map { client in
            let before = before[client.number]
            return ClientRates(
                figures: client, requests: rate(client.requests, since: before?.requests),
                deliveries: rate(client.deliveries, since: before?.deliveries),
                bytes: rate(client.bytes, since: before?.bytes))
        }
        var lists: [String: ListRates] = [:]
        let revisions = Dictionary(old.lists.map { ($0.epoch, $0.revision) }) { $1 }
        for summary in new.lists {
            let name = summary.list.description
            lists[name] = ListRates(list: name, transactions: rate(summary.revision, since: revisions[summary.epoch]))
        }
        for client in clients {
            let known = before[client.number]?.subscriptions ?? []
            for subscription in client.subscriptions {
                let before = known.first { $0.number == subscription.number }
                lists[subscription.list, default: ListRates(list: subscription.list)].add(
                    deliveries: rate(subscription.deliveries, since: before?.deliveries),
                    bytes: rate(subscription.bytes, since: before?.bytes))
            }
        }
        self.lists = lists.values.sorted { ($1.transactions, $1.bytes, $0.list) < ($0.transactions, $0.bytes, $1.list) }
        seconds = elapsed
        status = JSONReader(new.status)
    }
}

extension Rates.ListRates {
    fileprivate mutating func add(deliveries: Double, bytes: Double) {
        subscriptions += 1
        self.deliveries += deliveries
        self.bytes += bytes
    }
}

// MARK: - Shown

extension Rates {
    private static func shown(_ rate: Double) -> String {
        guard rate < 10 else { return grouped(Int(rate.rounded())) }
        let tenths = Int((rate * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }

    var lines: [String] {
        let uptime = shownDuration(seconds: status.number("uptimeSeconds") ?? 0)
        var lines = [
            "diffabled \(status.member("version")?.plainText ?? ""), pid \(status.number("pid") ?? 0), up \(uptime): "
                + "\(counted(status.number("lists") ?? 0, "list")), \(counted(status.number("items") ?? 0, "item")), "
                + "\(counted(status.number("connections") ?? 0, "client")), "
                + "\(counted(status.number("transactions") ?? 0, "transaction"))",
            "",
        ]
        var table = TextTable([
            "LIST": .left, "SUBSCRIPTIONS": .right, "TRANSACTIONS/s": .right, "DELIVERIES/s": .right,
            "BYTES/s": .right,
        ])
        for list in self.lists {
            table.append([
                list.list, grouped(list.subscriptions), Self.shown(list.transactions),
                Self.shown(list.deliveries), Self.shown(list.bytes),
            ])
        }
        lines += table.lines + [""]
        table = TextTable([
            "CLIENT": .left, "USER": .left, "PID": .right, "REQUESTS/s": .right, "DELIVERIES/s": .right,
            "BYTES/s": .right, "BEHIND": .right, "PENDING": .right,
        ])
        for client in clients.sorted(by: { ($1.bytes, $0.figures.number) < ($0.bytes, $1.figures.number) }) {
            table.append([
                client.figures.shownName, client.figures.shownUser, client.figures.shownProcess,
                Self.shown(client.requests), Self.shown(client.deliveries), Self.shown(client.bytes),
                grouped(client.figures.behind), grouped(client.figures.pendingBytes),
            ])
        }
        return lines + table.lines
    }

    var json: String {
        let lists = self.lists.map { list in
            Content.object([
                ("list", .string(list.list.utf8)), ("subscriptions", number(list.subscriptions)),
                ("transactionsPerSecond", number(list.transactions)),
                ("deliveriesPerSecond", number(list.deliveries)), ("bytesPerSecond", number(list.bytes)),
            ])
        }
        let clients = self.clients.map { client in
            var members: [(String, Content)] = [("client", number(client.figures.number))]
            if let name = client.figures.name { members.append(("name", .string(name.utf8))) }
            if let processID = client.figures.processID { members.append(("pid", number(processID))) }
            if let userID = client.figures.userID { members.append(("uid", number(userID))) }
            return Content.object(
                members + [
                    ("requestsPerSecond", number(client.requests)),
                    ("deliveriesPerSecond", number(client.deliveries)), ("bytesPerSecond", number(client.bytes)),
                    ("behind", number(client.figures.behind)), ("pendingBytes", number(client.figures.pendingBytes)),
                ])
        }
        return Content.object([
            ("seconds", number(seconds)), ("lists", .array(lists)), ("clients", .array(clients)),
        ]).description
    }

    private func number(_ number: Int) -> Content { Content(Array("\(number)".utf8)) }

    /// With two decimals, which exceeds the precision of the samples.
    private func number(_ number: Double) -> Content {
        Content(Array("\((number * 100).rounded() / 100)".utf8))
    }
}
