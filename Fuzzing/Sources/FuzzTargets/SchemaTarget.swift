import Diffable

@testable import DiffableJSON

/// Splits the bytes into the schema and the content after the newline.
private func halves(_ bytes: UnsafeRawBufferPointer) -> (UnsafeRawBufferPointer, UnsafeRawBufferPointer) {
    let end = bytes.firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
    return (
        UnsafeRawBufferPointer(rebasing: bytes[..<end]),
        UnsafeRawBufferPointer(rebasing: bytes[min(end + 1, bytes.count)...])
    )
}

private func content(_ json: UnsafeRawBufferPointer) -> Content? {
    try? Content(json: json, depthMax: DecodingLimits.server.depthMax)
}

func decodeSchema(_ bytes: UnsafeRawBufferPointer) {
    let (json, text) = halves(bytes)
    guard let schema = try? Schema(compiling: json) else { return }
    _ = schema.check(content(text))
}

func checkSchema(_ bytes: UnsafeRawBufferPointer) throws {
    let (json, text) = halves(bytes)
    let content = content(text)
    let schema: Schema
    do throws(DecodingError) {
        schema = try Schema(compiling: json)
    } catch {
        try hold(!error.statement.isEmpty && error.statement.utf8.count < 2000, "a refusal is too short or too long")
        return try hold((error.offset ?? 0) <= json.count, "a refusal stands outside of the schema: \(error)")
    }
    try hold(PlainJSON.accepts(json, depthMax: .max), "what is no JSON is a schema")
    let again = try schema.json.withUnsafeBytes { json in
        try succeed("a schema that was taken is taken") { () throws(DecodingError) in try Schema(compiling: json) }
    }
    let violation = schema.check(content)
    try hold(
        again.json == schema.json && again.check(content) == violation, "a schema is another when it was written")
    try checkViolation(violation, of: schema, content)
    guard let content else { return }
    try checkConstant(content)
    // A schema for array elements gives the same verdict on the first element as on the whole content.
    try checkElement(schema, content, violation)
}

/// Checks that a violation names an existing value.
private func checkViolation(_ violation: Violation?, of schema: Schema, _ content: Content?) throws {
    guard let violation else { return }
    try hold(violation.sentence(of: "id").utf8.count < 2000, "a sentence is too long: \(violation)")
    var path = violation.path
    let place = path.withUTF8 { ContentPath(UnsafeRawBufferPointer($0)) }
    guard let place, violation.path.isEmpty || violation.path.utf8.first == UInt8(ascii: "/") else {
        throw Broken("a path is no JSON pointer: \(violation.path)")
    }
    let isThere = place.withValue(in: Item(id: "id", content: content)) { $0 != nil }
    try hold(isThere || violation.path.isEmpty && content == nil, "a path leads nowhere: \(violation.path)")
}

/// Checks that a value matches a schema with that constant, unless a member is duplicate.
private func checkConstant(_ content: Content) throws {
    let json =
        Array("{\"enum\":[null,".utf8) + content.bytes + Array("],\"const\":".utf8) + content.bytes + Array("}".utf8)
    let limits = SchemaLimits(lengthMax: .max)
    guard let same = json.withUnsafeBytes({ try? Schema(compiling: $0, limits: limits) }) else { return }
    let violation = same.check(content)
    try hold(violation == nil, "a value is not itself: \(content)")
}

private func checkElement(_ schema: Schema, _ content: Content, _ violation: Violation?) throws {
    let json = Array(#"{"items":{"properties":{"a":"#.utf8) + schema.json + Array("}}}".utf8)
    let limits = SchemaLimits(lengthMax: .max, depthMax: .max, keywordsMax: .max)
    let outer: Schema
    do throws(DecodingError) {
        outer = try json.withUnsafeBufferPointer { json throws(DecodingError) in
            try Schema(compiling: UnsafeRawBufferPointer(json), limits: limits)
        }
    } catch {
        guard case .tooLarge("depthMax", _) = error.reason else {
            throw Broken("a schema can be in a schema, but: \(error)")
        }
        return
    }
    let whole = Array(#"[1,{"b":[{}],"a":"#.utf8) + content.bytes + Array("}]".utf8)
    let inner = outer.check(Content(whole))
    try hold((inner == nil) == (violation == nil), "a value fits here and not there: \(content)")
    if let inner, let violation {
        try hold(
            inner.path == "/1/a" + violation.path, "a path is another one further in: \(inner.path), \(violation.path)")
    }
}
