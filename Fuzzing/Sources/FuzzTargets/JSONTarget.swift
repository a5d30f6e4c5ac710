import Diffable
import DiffableJSON

private func scanned(_ bytes: UnsafeRawBufferPointer) throws(JSONError) -> JSONValue {
    var scanner = JSONScanner(bytes, depthMax: DecodingLimits.server.depthMax)
    let value = try scanner.value()
    try scanner.end()
    return value
}

func decodeJSON(_ bytes: UnsafeRawBufferPointer) {
    guard let value = try? scanned(bytes) else { return }
    value.withCompactBytes { _ in }
}

func checkJSON(_ bytes: UnsafeRawBufferPointer) throws {
    let isPlain = PlainJSON.accepts(bytes, depthMax: DecodingLimits.server.depthMax)
    let value: JSONValue
    do throws(JSONError) {
        value = try scanned(bytes)
    } catch {
        try hold(!isPlain, "JSON is refused: \(error)")
        return try hold((0...bytes.count).contains(error.offset), "an error stands outside of the text: \(error)")
    }
    try hold(isPlain, "what is no JSON is accepted")
    let compact = value.withCompactBytes { [UInt8]($0) }
    try compact.withUnsafeBytes { compact in
        let again = try succeed("compact JSON is JSON") { () throws(JSONError) in try scanned(compact) }
        try hold(again.compacted().elementsEqual(compact), "compact JSON has white space")
        try checkStrings(compact)
    }
}

/// Checks that a string keeps its meaning when the daemon writes it.
private func checkStrings(_ bytes: UnsafeRawBufferPointer) throws {
    guard bytes.first == UInt8(ascii: "\"") else { return }
    var scanner = JSONScanner(bytes, depthMax: 1)
    let string = try scanner.string()
    let meaning = string.withUTF8 { [UInt8]($0) }
    try hold(String(validating: meaning, as: UTF8.self) != nil, "a string means invalid UTF-8")
    var writer = ByteWriter()
    meaning.withUnsafeBytes { writer.appendString(utf8: $0) }
    try writer.withUnsafeBytes { written in
        var scanner = JSONScanner(written, depthMax: 1)
        let again = try scanner.string().withUTF8 { [UInt8]($0) }
        try hold(again == meaning, "a string means something else when it was written")
    }
}
