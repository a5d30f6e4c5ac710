import Diffable
import DiffableJSON

extension Request {
    struct Clients: PlainRequest {
        static let method = Method.clients
        static let summary = "who is connected, what they follow, how far behind they are, and what they handle"
        static let needsLists = false
        static let request = Request.clients
    }
}

// MARK: - Reply

extension Reply {
    /// One connection.
    package struct Client: Equatable, Sendable {
        /// Never used twice in one life of the daemon.
        package var number: Int
        /// What it calls itself, if it does.
        package var name: String?
        package var processID: Int?
        package var userID: Int?
        /// How long it has been connected.
        package var connectedSeconds: Int
        package var traffic: Traffic
        /// What it is still to be sent and its socket has not taken, in bytes.
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
            /// How many revisions of the list it has still to be sent; nil when there is no such list.
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
            package var requests: Set<HandledKind>
            /// Nil for all.
            package var actions: [ActionName]?
            /// How many requests it has not answered.
            package var pendingRequests: Int

            package init(
                handler: Int, list: ListName, requests: Set<HandledKind>, actions: [ActionName]?, pendingRequests: Int
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
    static func write(_ clients: [Reply.Client], into writer: inout ByteWriter) {
        writer.append(#""clients":"#)
        writer.appendArray(clients) { client, writer in
            writer.append(#"{"client":"#)
            writer.append(client.number)
            if let name = client.name { writer.appendMember("name", name) }
            if let processID = client.processID { writer.appendMember("pid", processID) }
            if let userID = client.userID { writer.appendMember("uid", userID) }
            writer.appendMember("connectedSeconds", client.connectedSeconds)
            client.traffic.write(into: &writer)
            writer.appendMember("pendingBytes", client.pendingBytes)
            writer.append(#","subscriptions":"#)
            writer.appendArray(client.subscriptions) { subscription, writer in
                writer.append(#"{"subscription":"#)
                writer.append(subscription.subscription)
                writer.appendMember("list", subscription.list)
                if let behind = subscription.behind { writer.appendMember("behind", behind) }
                writer.appendMember("deliveries", subscription.deliveries)
                writer.appendMember("bytesSent", subscription.bytesSent)
                writer.append(byte: UInt8(ascii: "}"))
            }
            if !client.handlers.isEmpty {
                writer.appendParameterName("handlers")
                writer.appendArray(client.handlers) { handler, writer in handler.write(into: &writer) }
            }
            writer.append(byte: UInt8(ascii: "}"))
        }
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
