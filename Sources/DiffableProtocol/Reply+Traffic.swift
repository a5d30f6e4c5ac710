import DiffableJSON

extension Reply {
    package struct Traffic: Equatable, Sendable {
        package var requests = 0
        /// The number of requests that got an error.
        package var refusals = 0
        /// Lines, or pages of long ones, sent to subscribers.
        package var deliveries = 0
        package var bytesReceived = 0
        package var bytesSent = 0

        package init(
            requests: Int = 0, refusals: Int = 0, deliveries: Int = 0, bytesReceived: Int = 0, bytesSent: Int = 0
        ) {
            self.requests = requests
            self.refusals = refusals
            self.deliveries = deliveries
            self.bytesReceived = bytesReceived
            self.bytesSent = bytesSent
        }

        package static func += (sum: inout Traffic, other: Traffic) {
            sum.requests += other.requests
            sum.refusals += other.refusals
            sum.deliveries += other.deliveries
            sum.bytesReceived += other.bytesReceived
            sum.bytesSent += other.bytesSent
        }
    }
}

extension Reply.Traffic {
    func write(into writer: inout ByteWriter) {
        writer.appendMember("requests", requests)
        writer.appendMember("refusals", refusals)
        writer.appendMember("deliveries", deliveries)
        writer.appendMember("bytesReceived", bytesReceived)
        writer.appendMember("bytesSent", bytesSent)
    }
}
