import Diffable
import DiffableJSON

extension Request {
    package struct Clients: Sendable, Equatable {
        package var namesActions: Bool

        package init(namesActions: Bool = false) { self.namesActions = namesActions }
    }
}

extension Request.Clients: RequestParameters {
    static func read(from decoder: inout Decoder, list: inout ListName?) throws(DecodingError) -> Request {
        var clients = Self()
        try readObject(from: &decoder) { _, decoder throws(DecodingError) in
            clients.namesActions = try decoder.boolean("actions")
        }
        return .clients(clients)
    }

    func write(into writer: inout ByteWriter) {
        if namesActions { writer.appendParameter("actions", true) }
    }
}

// MARK: - Reply

extension Reply {
    package struct Client: Equatable, Sendable {
        /// Unique until the daemon restarts.
        package var number: Int
        /// The name that the client has given itself, if any.
        package var name: String?
        package var processID: Int?
        package var userID: Int?
        /// The time since it connected, in seconds.
        package var connectedSeconds: Int
        package var traffic: Traffic
        /// Bytes of output that its socket has not taken yet.
        package var pendingBytes: Int
        package var subscriptions: [Subscription]
        package var handlers: [Handler]

        package init(
            number: Int, name: String?, processID: Int?, userID: Int?, connectedSeconds: Int, traffic: Traffic,
            pendingBytes: Int, subscriptions: [Subscription], handlers: [Handler] = []
        ) {
            self.number = number
            self.name = name
            self.processID = processID
            self.userID = userID
            self.connectedSeconds = connectedSeconds
            self.traffic = traffic
            self.pendingBytes = pendingBytes
            self.subscriptions = subscriptions
            self.handlers = handlers
        }

        package struct Subscription: Equatable, Sendable {
            package var subscription: Int
            package var list: ListName
            /// The number of the list's revisions that it has not been sent; nil if the list does not exist.
            package var behind: Int?
            package var deliveries: Int
            package var bytesSent: Int

            package init(subscription: Int, list: ListName, behind: Int?, deliveries: Int, bytesSent: Int) {
                self.subscription = subscription
                self.list = list
                self.behind = behind
                self.deliveries = deliveries
                self.bytesSent = bytesSent
            }
        }

        package struct Handler: Equatable, Sendable {
            package var handler: Int
            package var list: ListName
            package var requests: Set<HandlerRequestKind>
            /// The actions that it named; nil if it named none, or if the request did not ask for them.
            package var actions: [ActionName]?
            package var pendingRequests: Int

            package init(
                handler: Int, list: ListName, requests: Set<HandlerRequestKind>, actions: [ActionName]?,
                pendingRequests: Int
            ) {
                self.handler = handler
                self.list = list
                self.requests = requests
                self.actions = actions
                self.pendingRequests = pendingRequests
            }
        }
    }
}

extension Reply.Client {
    static func parts(_ clients: [Reply.Client]) -> ReplyParts {
        var parts = ReplyParts()
        parts.append { $0.append(#""clients":["#) }
        for (index, client) in clients.enumerated() {
            parts.append { writer in
                if index > 0 { writer.append(byte: UInt8(ascii: ",")) }
                client.writeHead(into: &writer)
                writer.append(#","subscriptions":["#)
            }
            parts.append(client.subscriptions) { subscription, writer in subscription.write(into: &writer) }
            parts.append { $0.append(byte: UInt8(ascii: "]")) }
            if !client.handlers.isEmpty {
                parts.append { $0.append(#","handlers":["#) }
                parts.append(client.handlers) { handler, writer in handler.write(into: &writer) }
                parts.append { $0.append(byte: UInt8(ascii: "]")) }
            }
            parts.append { $0.append(byte: UInt8(ascii: "}")) }
        }
        parts.append { $0.append(byte: UInt8(ascii: "]")) }
        return parts
    }

    private func writeHead(into writer: inout ByteWriter) {
        writer.append(#"{"client":"#)
        writer.append(number)
        if let name { writer.appendMember("name", name) }
        if let processID { writer.appendMember("pid", processID) }
        if let userID { writer.appendMember("uid", userID) }
        writer.appendMember("connectedSeconds", connectedSeconds)
        traffic.write(into: &writer)
        writer.appendMember("pendingBytes", pendingBytes)
    }
}

extension Reply.Client.Subscription {
    fileprivate func write(into writer: inout ByteWriter) {
        writer.append(#"{"subscription":"#)
        writer.append(subscription)
        writer.appendMember("list", list)
        if let behind { writer.appendMember("behind", behind) }
        writer.appendMember("deliveries", deliveries)
        writer.appendMember("bytesSent", bytesSent)
        writer.append(byte: UInt8(ascii: "}"))
    }
}

extension Reply.Client.Handler {
    fileprivate func write(into writer: inout ByteWriter) {
        writer.append(#"{"handler":"#)
        writer.append(handler)
        writer.appendMember("list", list)
        writer.appendParameterName("requests")
        writer.appendArray(requests)
        if let actions {
            writer.appendParameterName("actions")
            writer.appendArray(actions)
        }
        writer.appendMember("pendingRequests", pendingRequests)
        writer.append(byte: UInt8(ascii: "}"))
    }
}
