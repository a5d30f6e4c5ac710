import Diffable
import DiffableJSON

extension Reply {
    /// One whole line; nothing if the request had no id.
    package func write(id: RequestID, into writer: inout ByteWriter) {
        if id == .absent { return }
        writer.beginReply(id)
        writer.append(#","result":{"#)
        switch self {
        case .ping: break
        case .hello(let hello): hello.write(into: &writer)
        case .help: Self.writeHelp(into: &writer)
        case .status(let status): status.write(into: &writer)
        case .clients(let clients): Self.write(clients, into: &writer)
        case .reload(let reload): reload.write(into: &writer)
        case .lists(let lists): Self.write(lists, into: &writer)
        case .createList(let list): list.write(into: &writer)
        case .deleteList(let list):
            writer.append(#""list":"#)
            writer.appendString(list)
        case .staged(let list):
            writer.append(#""list":"#)
            writer.appendString(list)
            writer.append(#","staged":true"#)
        case .change(let change): change.write(into: &writer)
        case .subscribe(let subscribe): subscribe.write(into: &writer)
        case .setView(let subscription), .unsubscribe(let subscription):
            writer.append(#""subscription":"#)
            writer.append(subscription)
        case .history(let history): history.write(into: &writer)
        case .difference(let difference): difference.write(into: &writer)
        case .setAccess(let access):
            writer.append(#""list":"#)
            writer.appendString(access.list)
            access.writeRights(into: &writer)
        }
        writer.append("}}\n")
    }

    private static func writeHelp(into writer: inout ByteWriter) {
        writer.append(#""methods":"#)
        writer.appendArray(Method.allCases) { method, writer in
            writer.append(#"{"method":"#)
            writer.appendString(method.rawValue)
            writer.append(#","params":"#)
            let parameters = method.required.map(\.name) + method.optional.map { "\($0.name)?" }
            writer.appendArray(parameters) { name, writer in writer.appendString(name) }
            writer.appendMember("summary", method.summary)
            writer.append(byte: UInt8(ascii: "}"))
        }
    }

    private static func write(_ lists: [ListSummary], into writer: inout ByteWriter) {
        writer.append(#""lists":"#)
        writer.appendArray(lists) { list, writer in
            writer.append(#"{"list":"#)
            writer.appendString(list.list)
            writer.appendMember("epoch", list.epoch)
            writer.appendMember("revision", list.revision)
            writer.appendMember("sections", list.numberOfSections)
            writer.appendMember("items", list.numberOfItems)
            list.access.writeRights(into: &writer)
            writer.appendMember("durability", list.durability.rawValue)
            writer.append(byte: UInt8(ascii: "}"))
        }
    }
}

extension Reply.ListAccess {
    fileprivate func writeRights(into writer: inout ByteWriter) {
        writer.appendMember("owner", Int(owner))
        writer.appendMember("group", Int(group))
        writer.appendMember("mode", mode.description)
    }
}

extension Reply.Hello {
    fileprivate func write(into writer: inout ByteWriter) {
        writer.append(#""server":"diffabled""#)
        writer.appendMember("version", version)
        writer.appendMember("epoch", epoch)
        writer.append(#","limits":"#)
        writer.appendNumbers(limits.map { ($0.name, $0.max) })
        writer.append(#","capabilities":"#)
        writer.appendArray(capabilities) { name, writer in writer.appendString(name) }
    }
}

extension Reply.Status {
    fileprivate func write(into writer: inout ByteWriter) {
        writer.append(#""version":"#)
        writer.appendString(version)
        writer.appendMember("pid", processID)
        writer.appendMember("uptimeSeconds", uptimeSeconds)
        writer.appendMember("connections", connections)
        writer.appendMember("subscriptions", subscriptions)
        writer.appendMember("lists", lists)
        writer.appendMember("items", items)
        if let transactions { writer.appendMember("transactions", transactions) }
        if let groups { writer.appendMember("groups", groups) }
        traffic?.write(into: &writer)
        writer.appendMember("storage", storage.rawValue)
        if let refusing { writer.appendMember("refusing", refusing) }
    }
}

extension Reply.Traffic {
    fileprivate func write(into writer: inout ByteWriter) {
        writer.appendMember("requests", requests)
        writer.appendMember("refusals", refusals)
        writer.appendMember("deliveries", deliveries)
        writer.appendMember("bytesReceived", bytesReceived)
        writer.appendMember("bytesSent", bytesSent)
    }
}

extension Reply {
    fileprivate static func write(_ clients: [Client], into writer: inout ByteWriter) {
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
            writer.append(byte: UInt8(ascii: "}"))
        }
    }
}

extension Reply.Reload {
    fileprivate func write(into writer: inout ByteWriter) {
        writer.append(#""applied":"#)
        writer.appendArray(applied) { name, writer in writer.appendString(name) }
        writer.append(#","needRestart":"#)
        writer.appendArray(needRestart) { name, writer in writer.appendString(name) }
        if let file { writer.appendMember("file", file) }
    }
}

extension Reply.ListRevision {
    fileprivate func write(into writer: inout ByteWriter) {
        writer.append(#""list":"#)
        writer.appendString(list)
        writer.appendMember("epoch", epoch)
        writer.appendMember("revision", revision)
    }
}

extension Reply.Subscribe {
    fileprivate func write(into writer: inout ByteWriter) {
        writer.append(#""subscription":"#)
        writer.append(subscription)
        writer.appendMember("list", list)
        if let start {
            writer.appendMember("epoch", start.epoch)
            writer.appendMember("revision", start.revision)
        }
        if let isResumed { writer.append(isResumed ? #","resumed":true"# : #","resumed":false"#) }
    }
}

extension Reply.History {
    fileprivate func write(into writer: inout ByteWriter) {
        start.write(into: &writer)
        writer.appendMember("oldest", oldest)
        writer.append(#","revisions":"#)
        writer.appendArray(revisions) { revision, writer in
            writer.append(#"{"revision":"#)
            writer.append(revision.revision)
            writer.appendMember("time", revision.time)
            writer.appendMember("operations", revision.numberOfOperations)
            if let name = revision.name { writer.appendMember("name", name) }
            if let processID = revision.processID { writer.appendMember("pid", processID) }
            if let userID = revision.userID { writer.appendMember("uid", userID) }
            writer.append(byte: UInt8(ascii: "}"))
        }
    }
}

extension Reply.Difference {
    fileprivate func write(into writer: inout ByteWriter) {
        writer.append(#""list":"#)
        writer.appendString(list)
        writer.appendMember("epoch", epoch)
        writer.appendMember("from", from)
        writer.appendMember("to", to)
        writer.append(#","operations":"#)
        writer.append(OperationsWriter.array(operations))
    }
}

extension Reply.Change {
    fileprivate func write(into writer: inout ByteWriter) {
        writer.append(#""list":"#)
        writer.appendString(list)
        if let revision { writer.appendMember("revision", revision) }
        if let isChanged { writer.append(isChanged ? #","changed":true"# : #","changed":false"#) }
        if let summary {
            writer.append(#","summary":"#)
            writer.appendNumbers(summary.counts.filter { $0.1 > 0 })
        }
        if let operations {
            writer.append(#","operations":"#)
            writer.append(OperationsWriter.array(operations))
        }
    }
}

extension DifferenceSummary {
    /// As on the wire.
    fileprivate var counts: [(String, Int)] {
        SummaryMember.allCases.map { ($0.name, self[keyPath: $0.count]) }
    }
}

extension ByteWriter {
    /// `{"name":number,…}`
    fileprivate mutating func appendNumbers(_ members: [(name: String, number: Int)]) {
        append(byte: UInt8(ascii: "{"))
        appendList(members) { member, writer in
            writer.appendString(member.name)
            writer.append(byte: UInt8(ascii: ":"))
            writer.append(member.number)
        }
        append(byte: UInt8(ascii: "}"))
    }

    mutating func appendArray<Elements: Sequence>(
        _ elements: Elements, _ write: (Elements.Element, inout ByteWriter) -> Void
    ) {
        append(byte: UInt8(ascii: "["))
        appendList(elements, write)
        append(byte: UInt8(ascii: "]"))
    }

    /// With commas between.
    private mutating func appendList<Elements: Sequence>(
        _ elements: Elements, _ write: (Elements.Element, inout ByteWriter) -> Void
    ) {
        var isFirst = true
        for element in elements {
            if !isFirst { append(byte: UInt8(ascii: ",")) }
            isFirst = false
            write(element, &self)
        }
    }
}
