import Diffable
import DiffableJSON

extension Request {
    /// One whole line, whatever its length; `RequestWriter` splits long ones.
    package func write(id: RequestID, into writer: inout ByteWriter) {
        writer.beginRequest(method, id: id)
        switch self {
        case .ping, .help, .status, .lists: break
        case .hello(let hello):
            if let name = hello.name { writer.appendParameter("name", name) }
            if let max = hello.lineLengthMax { writer.appendParameter("maxLine", max) }
        case .createList(let request):
            writer.appendParameter("list", request.list)
            if request.durability != .durable { writer.appendParameter("durability", request.durability.rawValue) }
            if request.ifPresent == .isKept { writer.appendTrueParameter("ifAbsent") }
        case .deleteList(let list), .snapshot(let list): writer.appendParameter("list", list)
        case .transact(let request): request.write(into: &writer)
        case .apply(let request): request.write(into: &writer)
        case .subscribe(let request):
            writer.appendParameter("list", request.list)
            if request.duration == .once { writer.appendTrueParameter("once") }
        case .unsubscribe(let subscription): writer.appendParameter("subscription", subscription)
        }
        writer.append("}}\n")
    }
}

extension Request.Transact {
    fileprivate func write(into writer: inout ByteWriter) {
        writer.appendParameter("list", list)
        writer.appendParameter("operations", operations: operations, expansion: .canonical)
        writer.appendOptions(ifRevision: ifRevision, mode: mode, part: part)
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
        writer.appendOptions(ifRevision: ifRevision, mode: mode, part: part)
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

    mutating func appendOptions(ifRevision: Int?, mode: Request.Mode, part: Request.Part) {
        if let ifRevision { appendParameter("ifRevision", ifRevision) }
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
