import Diffable
import DiffableJSON

extension ByteWriter {
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
        // The first parameter follows a brace, or begins a text of its own.
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

    mutating func appendParameter(_ name: StaticString, _ bool: Bool) {
        appendParameterName(name)
        append(bool ? "true" : "false")
    }

    mutating func appendParameter<Named>(_ name: StaticString, _ identifier: Identifier<Named>) {
        appendParameterName(name)
        appendString(identifier)
    }

    /// A view of everything is left out.
    mutating func appendParameter(_ view: View) {
        guard !view.isEverything else { return }
        appendParameterName("view")
        append(view.json)
    }

    mutating func appendParameter(
        _ name: StaticString, operations: [ListOperation], expansion: OperationsWriter.Expansion
    ) {
        appendParameterName(name)
        var operations = OperationsWriter(operations, expansion: expansion)
        _ = operations.writeArray(into: &self, upTo: .max)
    }

    mutating func appendChangeOptions(
        ifRevision: Int?, requestKey: RequestKey?, lease: LeaseTerm? = nil, mode: TransactionMode, part: Request.Part
    ) {
        if let ifRevision { appendParameter("ifRevision", ifRevision) }
        if let requestKey { appendParameter("requestKey", requestKey) }
        if let lease { appendParameter("lease", lease.rawValue) }
        if mode == .dryRun { appendParameter("dryRun", true) }
        switch part {
        case .whole: break
        case .more: appendParameter("more", true)
        case .last: appendParameter("more", false)
        }
    }
}
