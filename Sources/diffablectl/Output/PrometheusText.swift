import DiffableInput

/// The daemon's status in the text format of Prometheus, version 0.0.4
/// (https://prometheus.io/docs/instrumenting/exposition_formats/). Figures that the daemon does not have are left out.
func prometheusLines(of status: JSONView) -> [String] {
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
    return lines
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
