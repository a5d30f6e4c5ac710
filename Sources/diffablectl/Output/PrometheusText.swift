import Diffable
import DiffableClient
import DiffableInput
import Glibc

/// The daemon's status in the text format of Prometheus, version 0.0.4
/// (https://prometheus.io/docs/instrumenting/exposition_formats/). Figures that the daemon does not have are left out.
func prometheusLines(of status: JSONReader) -> [String] {
    var lines: [String] = []
    if let version = status.member("version")?.plainText {
        lines += Metric("info", .gauge, "The daemon's version, as a label.").lines("1", labels: ["version": version])
    }
    for (member, metric) in metrics {
        guard let text = status.member(member)?.plainText else { continue }
        let value = text == "true" ? "1" : text == "false" ? "0" : text
        // A text could contain a line feed, and so another metric.
        if Double(value) != nil { lines += metric.lines(value) }
    }
    if let storage = status.member("storage")?.plainText {
        let states = ["working", "full", "failed", "unreadable", "closing"]
        let metric = Metric("storage_state", .gauge, "1 for the present state of the storage, 0 for the others.")
        lines += metric.head
        for state in states { lines.append(metric.sample(state == storage ? "1" : "0", labels: ["state": state])) }
    }
    // Only root and the daemon's user get counters and losses.
    if status.member("transactions") != nil {
        let metric = Metric("changes_lost", .gauge, "1 if changes were lost, until somebody acknowledges it.")
        lines += metric.lines(status.member("loss") == nil ? "0" : "1")
    }
    if let process = status.member("pid").flatMap({ Int($0.plainText) }), let memory = residentMemory(of: process) {
        lines += Metric("resident_memory_bytes", .gauge, "Memory of the daemon's process.").lines("\(memory)")
    }
    return lines
}

/// Bytes of memory of a daemon on this machine; nil if its process is not visible here.
private func residentMemory(of process: Int) -> Int? {
    func text(_ file: String) -> String? {
        guard let stream = fopen("/proc/\(process)/\(file)", "re") else { return nil }
        defer { fclose(stream) }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = fread(&bytes, 1, bytes.count, stream)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
    // In another namespace of processes, the number is another program's.
    guard text("comm") == "diffabled\n", let pages = text("statm")?.split(separator: " ").dropFirst().first else {
        return nil
    }
    return Int(pages).map { $0 * sysconf(Int32(_SC_PAGESIZE)) }
}

/// The figures of single lists: the lists that a user names, and the list of feeds.
struct ListFigures {
    /// The number of feeds in each state; empty without a list of feeds.
    var feeds: [String: Int] = [:]
    /// The named lists; nil for a list that does not exist, or that the user cannot see.
    var lists: [Figures] = []

    struct Figures {
        var list: ListName
        var items: Int?
        var revision: Int?
    }

    private static let states = ["fed", "failing", "paused", "waiting"]

    var text: [String] {
        var text: [String] = []
        if !feeds.isEmpty {
            let metric = Metric("feeds", .gauge, "Feeds of diffable-feed in this state.")
            text += metric.head
            for state in Self.states { text.append(metric.sample("\(feeds[state] ?? 0)", labels: ["state": state])) }
        }
        guard !lists.isEmpty else { return text }
        let figures: [(Metric, [(ListName, Int?)])] = [
            (
                Metric("list_exists", .gauge, "1 if the list exists, 0 otherwise."),
                lists.map { ($0.list, $0.items == nil ? 0 : 1) }
            ),
            (Metric("list_items", .gauge, "Items in the list, at any depth."), lists.map { ($0.list, $0.items) }),
            (
                Metric("list_revision", .gauge, "The list's revision; each change increases it."),
                lists.map { ($0.list, $0.revision) }
            ),
        ]
        for (metric, values) in figures {
            let samples = values.compactMap { list, value in
                value.map { metric.sample("\($0)", labels: ["list": "\(list)"]) }
            }
            if !samples.isEmpty { text += metric.head + samples }
        }
        return text
    }
}

extension ListFigures {
    /// `listOfFeeds` is the content of the list of feeds; nil without one.
    init(_ named: [ListName], among summaries: [ListSummary], listOfFeeds: Snapshot?) {
        for name in named {
            let summary = summaries.first { $0.list == name }
            lists.append(Figures(list: name, items: summary?.items, revision: summary?.revision))
        }
        for item in listOfFeeds?.sections.flatMap(\.items) ?? [] {
            guard let content = item.content, let state = JSONReader(content).member("state")?.plainText else {
                continue
            }
            if Self.states.contains(state) { feeds[state, default: 0] += 1 }
        }
    }
}

private let metrics: [(String, Metric)] = [
    ("uptimeSeconds", Metric("uptime_seconds", .gauge, "How long the daemon has run.")),
    ("connections", Metric("connections", .gauge, "Clients that are connected.")),
    ("subscriptions", Metric("subscriptions", .gauge, "Subscriptions to lists.")),
    ("lists", Metric("lists", .gauge, "Lists.")),
    ("items", Metric("items", .gauge, "Items in all lists, at any depth.")),
    ("transactions", Metric("transactions_total", .counter, "Transactions that changed something.")),
    ("groups", Metric("commit_groups_total", .counter, "Groups of transactions that were synced to the disk.")),
    ("requests", Metric("requests_total", .counter, "Lines that clients sent.")),
    ("refusals", Metric("refused_requests_total", .counter, "Requests that were answered with an error.")),
    ("deliveries", Metric("deliveries_total", .counter, "Lines that subscribers were sent.")),
    ("bytesReceived", Metric("received_bytes_total", .counter, "Bytes that clients sent.")),
    ("bytesSent", Metric("sent_bytes_total", .counter, "Bytes that clients were sent.")),
    ("sharedLists", Metric("shared_lists", .gauge, "Lists that are shared with other hosts.")),
    ("mirrors", Metric("mirrors", .gauge, "Lists that mirror a list of another daemon.")),
    ("notLive", Metric("lists_not_live", .gauge, "Shared lists and mirrors that may lack changes of their source.")),
    ("connector", Metric("connector_attached", .gauge, "1 while diffabled-etcd is connected.")),
    ("hosts", Metric("hosts", .gauge, "Hosts that are online, including this one.")),
    ("waiting", Metric("waiting_requests", .gauge, "Requests about shared lists that wait for etcd.")),
    ("batches", Metric("appended_batches_total", .counter, "Batches of changes that this host appended to logs.")),
]

private struct Metric {
    enum Kind: String { case counter, gauge }

    /// With the prefix, and the unit last.
    private let name: String
    private let kind: Kind
    private let help: String

    init(_ name: String, _ kind: Kind, _ help: String) {
        self.name = "diffabled_" + name
        self.kind = kind
        self.help = help
    }

    var head: [String] { ["# HELP \(name) \(help)", "# TYPE \(name) \(kind.rawValue)"] }

    func sample(_ value: String, labels: KeyValuePairs<String, String> = [:]) -> String {
        let labels = labels.map { "\($0.key)=\"\(escaped($0.value))\"" }.joined(separator: ",")
        return labels.isEmpty ? "\(name) \(value)" : "\(name){\(labels)} \(value)"
    }

    func lines(_ value: String, labels: KeyValuePairs<String, String> = [:]) -> [String] {
        head + [sample(value, labels: labels)]
    }

    private func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
