import Diffable
import DiffableJSON

extension Request {
    /// One whole line, whatever its length; `RequestWriter` splits long ones.
    package func write(id: RequestID, into writer: inout ByteWriter) {
        writer.beginRequest(method, id: id)
        switch self {
        case .ping, .help, .status, .clients, .reload, .lists, .backup: break
        case .hello(let hello):
            if let name = hello.name { writer.appendParameter("name", name) }
            if let max = hello.lineLengthMax { writer.appendParameter("maxLine", max) }
        case .createList(let request):
            writer.appendParameter("list", request.list)
            if request.durability != .durable { writer.appendParameter("durability", request.durability.rawValue) }
            if let mode = request.mode { writer.appendParameter("mode", mode.description) }
            if request.ifPresent == .isKept { writer.appendTrueParameter("ifAbsent") }
            if let lease = request.lease { writer.appendParameter("lease", lease.rawValue) }
        case .deleteList(let list): writer.appendParameter("list", list)
        case .snapshot(let request):
            writer.appendParameter("list", request.list)
            if let revision = request.revision { writer.appendParameter("at", revision) }
            writer.appendParameter(request.view)
        case .transact(let request): request.write(into: &writer)
        case .apply(let request): request.write(into: &writer)
        case .subscribe(let request):
            writer.appendParameter("list", request.list)
            if let since = request.since {
                writer.appendParameterName("since")
                writer.append(#"{"epoch":"#)
                writer.appendString(since.epoch)
                writer.appendMember("revision", since.revision)
                writer.append(byte: UInt8(ascii: "}"))
            }
            writer.appendParameter(request.view)
            if request.form != .operations { writer.appendParameter("deliver", request.form.rawValue) }
            if let minInterval = request.minInterval { writer.appendParameter("minInterval", minInterval) }
            if let bookmark = request.bookmark { writer.appendParameter("bookmark", bookmark) }
            if request.ifAbsent == .isAwaited { writer.appendParameter("ifAbsent", "wait") }
            if request.duration == .once { writer.appendTrueParameter("once") }
        case .setView(let view, let subscription):
            writer.appendParameter("subscription", subscription)
            writer.appendParameterName("view")
            writer.append(view.json.isEmpty ? Array("{}".utf8) : view.json)
        case .unsubscribe(let subscription): writer.appendParameter("subscription", subscription)
        case .history(let list, let limit):
            writer.appendParameter("list", list)
            if let limit { writer.appendParameter("limit", limit) }
        case .difference(let list, let from, let to):
            writer.appendParameter("list", list)
            writer.appendParameter("from", from)
            writer.appendParameter("to", to)
        case .undo(let request):
            writer.appendParameter("list", request.list)
            if let revision = request.revision { writer.appendParameter("to", revision) }
            writer.appendOptions(
                ifRevision: request.ifRevision, requestKey: request.requestKey, mode: request.mode, part: .whole)
        case .restore(.part(let access, let operations)):
            access.write(into: &writer)
            writer.appendParameter("operations", operations: operations, expansion: .canonical)
            writer.appendTrueParameter("more")
        case .restore(.end(let replacing)):
            if replacing { writer.appendTrueParameter("replace") }
            writer.appendParameterName("more")
            writer.append("false")
        case .setAccess(let request): request.write(into: &writer)
        }
        writer.append("}}\n")
    }
}

extension Request.Transact {
    fileprivate func write(into writer: inout ByteWriter) {
        writer.appendParameter("list", list)
        writer.appendParameter("operations", operations: operations, expansion: .canonical)
        writer.appendOptions(
            ifRevision: ifRevision, requestKey: requestKey, lease: lease, mode: mode, part: part)
    }
}

extension Request.Apply {
    fileprivate func write(into writer: inout ByteWriter) {
        writer.appendParameter("list", list)
        switch contents {
        case .snapshot(let sections):
            writer.appendParameterName("snapshot")
            writer.appendSnapshot(sections, expansion: .asSaid)
        case .items(let items, let section):
            writer.appendParameter("section", section)
            writer.appendParameterName("snapshot")
            writer.appendItems(items, expansion: .asSaid)
        case .operations(let operations, let section):
            if let section { writer.appendParameter("section", section) }
            writer.appendParameter("operations", operations: operations, expansion: .asSaid)
        }
        if delivery == .reload { writer.appendTrueParameter("usingReloadData") }
        writer.appendOptions(
            ifRevision: ifRevision, requestKey: requestKey, lease: lease, mode: mode, part: part)
    }
}

extension ByteWriter {
    /// Up to the first parameter.
    mutating func beginRequest(_ method: Method, id: RequestID) {
        append(#"{"jsonrpc":"2.0""#)
        if id != .absent {
            append(#","id":"#)
            append(id)
        }
        appendMember("method", method.rawValue)
        append(#","params":{"#)
    }

    mutating func appendParameterName(_ name: StaticString) {
        // The first stands behind a brace, or at the beginning of what will.
        if let last, last != UInt8(ascii: "{") { append(byte: UInt8(ascii: ",")) }
        append(byte: UInt8(ascii: "\""))
        append(name)
        append("\":")
    }

    mutating func appendParameter(_ name: StaticString, _ string: String) {
        appendParameterName(name)
        appendString(string)
    }

    mutating func appendParameter(_ name: StaticString, _ number: Int) {
        appendParameterName(name)
        append(number)
    }

    mutating func appendParameter<Named>(_ name: StaticString, _ identifier: Identifier<Named>) {
        appendParameterName(name)
        appendString(identifier)
    }

    /// A view that leaves nothing out need not be said.
    fileprivate mutating func appendParameter(_ view: View) {
        guard !view.isEverything else { return }
        appendParameterName("view")
        append(view.json)
    }

    mutating func appendTrueParameter(_ name: StaticString) {
        appendParameterName(name)
        append("true")
    }

    fileprivate mutating func appendParameter(
        _ name: StaticString, operations: [Operation], expansion: OperationsWriter.Expansion
    ) {
        appendParameterName(name)
        var operations = OperationsWriter(operations, expansion: expansion)
        _ = operations.writeArray(into: &self, upTo: .max)
    }

    mutating func appendOptions(
        ifRevision: Int?, requestKey: RequestKey?, lease: Request.Lease? = nil, mode: Request.Mode, part: Request.Part
    ) {
        if let ifRevision { appendParameter("ifRevision", ifRevision) }
        if let requestKey { appendParameter("requestKey", requestKey) }
        if let lease { appendParameter("lease", lease.rawValue) }
        if mode == .dryRun { appendTrueParameter("dryRun") }
        switch part {
        case .whole: break
        case .more: appendTrueParameter("more")
        case .last:
            appendParameterName("more")
            append("false")
        }
    }
}

extension Request.SetAccess {
    func write(into writer: inout ByteWriter) {
        writer.appendParameter("list", list)
        if let mode { writer.appendParameter("mode", mode.description) }
        if let owner { writer.appendParameter("owner", Int(owner)) }
        if let group { writer.appendParameter("group", Int(group)) }
    }
}
