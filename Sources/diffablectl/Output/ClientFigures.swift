import DiffableInput

struct ClientFigures {
    var number: Int
    var name: String?
    var processID: Int?
    var userID: Int?
    var connectedSeconds: Int
    var requests: Int
    var deliveries: Int
    /// Bytes in both directions.
    var bytes: Int
    var pendingBytes: Int
    var subscriptions: [SubscriptionFigures]
    var handledLists: [String]
    var pendingRequests: Int

    struct SubscriptionFigures {
        var number: Int
        var list: String
        var behind: Int
        var deliveries: Int
        var bytes: Int
    }

    static func all(in reply: JSONReader) -> [ClientFigures] {
        (reply.member("clients")?.elements ?? []).map(ClientFigures.init)
    }

    private init(_ view: JSONReader) {
        number = view.number("client") ?? 0
        name = view.member("name")?.plainText
        processID = view.number("pid")
        userID = view.number("uid")
        connectedSeconds = view.number("connectedSeconds") ?? 0
        requests = view.number("requests") ?? 0
        deliveries = view.number("deliveries") ?? 0
        bytes = (view.number("bytesReceived") ?? 0) + (view.number("bytesSent") ?? 0)
        pendingBytes = view.number("pendingBytes") ?? 0
        (handledLists, pendingRequests) = Self.handlers(in: view)
        subscriptions = (view.member("subscriptions")?.elements ?? []).map { view in
            SubscriptionFigures(
                number: view.number("subscription") ?? 0, list: view.member("list")?.plainText ?? "",
                behind: view.number("behind") ?? 0, deliveries: view.number("deliveries") ?? 0,
                bytes: view.number("bytesSent") ?? 0)
        }
    }

    private static func handlers(in view: JSONReader) -> (lists: [String], pending: Int) {
        var result: (lists: [String], pending: Int) = ([], 0)
        for handler in view.member("handlers")?.elements ?? [] {
            if let list = handler.member("list")?.plainText, !result.lists.contains(list) { result.lists.append(list) }
            result.pending += handler.number("pendingRequests") ?? 0
        }
        return result
    }

    var shownName: String { name ?? "-" }
    var shownProcess: String { processID.map { "\($0)" } ?? "-" }

    var shownUser: String { userID.map { UserNames.user(UInt32(truncatingIfNeeded: $0)) } ?? "-" }

    var lists: [String] {
        var lists: [String] = []
        for subscription in subscriptions where !lists.contains(subscription.list) { lists.append(subscription.list) }
        return lists
    }

    /// The number of revisions by which the slowest subscription lags.
    var behind: Int { subscriptions.map(\.behind).max() ?? 0 }
}

extension JSONReader {
    func number(_ name: String) -> Int? { member(name).flatMap { Int($0.json) } }
}

/// `45 s`, `12 min`, `3 h 05 min`, `9 d`
func shownDuration(seconds: Int) -> String {
    switch seconds {
    case ..<120: "\(seconds) s"
    case ..<7_200: "\(seconds / 60) min"
    case ..<172_800: "\(seconds / 3_600) h \(seconds / 600 % 6)\(seconds / 60 % 10) min"
    default: "\(seconds / 86_400) d"
    }
}
