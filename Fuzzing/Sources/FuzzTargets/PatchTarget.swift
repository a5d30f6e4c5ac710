import Diffable
import DiffableJSON

/// Splits the bytes into the patch and the content after the newline.
private func halves(_ bytes: UnsafeRawBufferPointer) -> (UnsafeRawBufferPointer, UnsafeRawBufferPointer) {
    let end = bytes.firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
    return (
        UnsafeRawBufferPointer(rebasing: bytes[..<end]),
        UnsafeRawBufferPointer(rebasing: bytes[min(end + 1, bytes.count)...])
    )
}

func decodePatch(_ bytes: UnsafeRawBufferPointer) {
    _ = try? MergePatch(json: halves(bytes).0)
}

func checkPatch(_ bytes: UnsafeRawBufferPointer) throws {
    let (json, target) = halves(bytes)
    guard let patch = try? MergePatch(json: json) else { return }
    let content = try? Content(json: target, depthMax: DecodingLimits.server.depthMax)
    guard let result = patch.applied(to: content) else { return }
    try result.bytes.withUnsafeBytes { bytes in
        try hold(PlainJSON.accepts(bytes, depthMax: 64), "a patched content is no JSON: \(text(bytes))")
    }
    // By RFC 7396, a patch only sets or removes members, so applying it again changes nothing.
    let again = patch.applied(to: result)
    try hold(again == result, "a patch does more the second time: \(result), \(again?.description ?? "nothing")")
}
