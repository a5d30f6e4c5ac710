/// One connection, as the daemon tells of it.
struct ClientFigures {
    var number: Int
    var name: String?
    var processID: Int?
    var userID: Int?
    var connectedSeconds: Int
    var requests: Int
    var deliveries: Int
    /// Both ways.
    var bytes: Int
    var pendingBytes: Int
    var subscriptions: [SubscriptionFigures]

    struct SubscriptionFigures {
        var number: Int
        var list: String
        var behind: Int
        var deliveries: Int
        var bytes: Int
    }

    /// From the reply to `clients`.
    static func all(in reply: JSONView) -> [ClientFigures] {
        (reply.member("clients")?.elements ?? []).map(ClientFigures.init)
    }

    private init(_ view: JSONView) {
        number = view.number("client") ?? 0
        name = view.member("name").map { harmless($0.plainText) }
        processID = view.number("pid")
        userID = view.number("uid")
        connectedSeconds = view.number("connectedSeconds") ?? 0
        requests = view.number("requests") ?? 0
        deliveries = view.number("deliveries") ?? 0
        bytes = (view.number("bytesReceived") ?? 0) + (view.number("bytesSent") ?? 0)
        pendingBytes = view.number("pendingBytes") ?? 0
        subscriptions = (view.member("subscriptions")?.elements ?? []).map { view in
            SubscriptionFigures(
                number: view.number("subscription") ?? 0, list: view.member("list")?.plainText ?? "",
                behind: view.number("behind") ?? 0, deliveries: view.number("deliveries") ?? 0,
                bytes: view.number("bytesSent") ?? 0)
        }
    }

    var shownName: String { name ?? "-" }
    var shownProcess: String { processID.map { "\($0)" } ?? "-" }

    /// The user's name, or the number of one that has none.
    var shownUser: String { userID.map { UserNames.user(UInt32(truncatingIfNeeded: $0)) } ?? "-" }

    /// Each once, in the order in which they were subscribed to.
    var lists: [String] {
        var lists: [String] = []
        for subscription in subscriptions where !lists.contains(subscription.list) { lists.append(subscription.list) }
        return lists
    }

    /// Of the subscription that is farthest behind.
    var behind: Int { subscriptions.map(\.behind).max() ?? 0 }
}

extension JSONView {
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
