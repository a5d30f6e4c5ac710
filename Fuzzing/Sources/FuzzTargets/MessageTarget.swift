import Diffable
import DiffableJSON
import DiffableProtocol

func decodeMessage(_ line: UnsafeRawBufferPointer) { _ = try? Message(line: line) }

func checkMessage(_ line: UnsafeRawBufferPointer) throws {
    guard let message = try? Message(line: line) else { return }
    try hold(PlainJSON.accepts(line, depthMax: DecodingLimits.client.depthMax), "what is no JSON is a message")
    switch message {
    case .reset(let reset): try checkAgain(reset.operations)
    case .changes(let changes): try checkAgain(changes.operations)
    case .result(_, let json): try json.withUnsafeBytes(checkResult)
    default: break
    }
}

private func checkAgain(_ operations: [ListOperation]) throws {
    let json = OperationsWriter.array(operations)
    let again = try json.withUnsafeBytes { json in
        try succeed("operations that were written can be read: \(text(json))") { () throws(DecodingError) in
            try [ListOperation](json: json, limits: .client)
        }
    }
    try hold(OperationsWriter.array(again) == json, "operations are others when they were written: \(text(json))")
}

/// Decodes the result of the method with these members, as the calling client does.
func decodeResult(_ json: UnsafeRawBufferPointer) {
    let bytes = [UInt8](json)
    let head = String(decoding: json.prefix(100), as: UTF8.self)
    if head.contains(#""lists""#) {
        _ = try? Reply.ListSummary.all(json: bytes)
    } else if head.contains(#""revisions""#) {
        _ = try? Reply.History(json: bytes)
    } else if head.contains(#""limits""#) {
        _ = try? Reply.Hello(json: bytes)
    } else if head.contains(#""snapshot""#) {
        _ = try? SnapshotResult(json: bytes)
    } else {
        _ = try? Reply.Change(json: bytes)
    }
}

func checkResult(_ json: UnsafeRawBufferPointer) throws {
    let bytes = [UInt8](json)
    _ = try? Reply.Hello(json: bytes)
    _ = try? Reply.Reload(json: bytes)
    _ = try? Reply.ListSummary.all(json: bytes)
    _ = try? Reply.ListAccess(json: bytes)
    _ = try? Reply.Change(json: bytes)
    _ = try? Reply.Subscribe(json: bytes)
    _ = try? Reply.History(json: bytes)
    if let difference = try? Reply.Difference(json: bytes) { try checkAgain(difference.operations) }
    guard let result = try? SnapshotResult(json: bytes) else { return }
    try result.bytes.withUnsafeBytes { json in
        let list = try succeed("a snapshot's bytes are the snapshot") { () throws(DecodingError) in
            try WholeList(json: json, limits: .client)
        }
        try hold(
            list.sections.count == result.list.sections.count && list.content == result.list.content,
            "a snapshot's bytes are another snapshot")
    }
}
