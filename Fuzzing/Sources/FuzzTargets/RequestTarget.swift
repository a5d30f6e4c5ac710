import Diffable
import DiffableJSON
import DiffableProtocol

private func decoded(_ line: UnsafeRawBufferPointer) -> DecodedRequest {
    DecodedRequest(line: line, limits: .server)
}

func decodeRequest(_ line: UnsafeRawBufferPointer) { _ = decoded(line) }

func checkRequest(_ line: UnsafeRawBufferPointer) throws {
    let decoded = decoded(line)
    switch decoded.request {
    case .success(let request):
        if isObject(line) {
            try hold(
                PlainJSON.accepts(line, depthMax: DecodingLimits.server.depthMax), "what is no JSON is a request")
        }
        try checkWriting(request, decoded.id)
    case .failure(let error):
        if error.code == .parseError, isObject(line) {
            try hold(!PlainJSON.accepts(line, depthMax: .max), "JSON is no JSON: \(error)")
        }
        try checkAnswer(error, decoded.id)
    }
}

private func isObject(_ line: UnsafeRawBufferPointer) -> Bool {
    line.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "{")
}

/// Checks that a written request decodes to the same request.
private func checkWriting(_ request: Request, _ id: RequestID) throws {
    let line = written(request, id)
    let again = line.withUnsafeBytes(decoded)
    try hold(again.id == id || id == .null, "a request's id is another one when it was written")
    guard case .success(let read) = again.request else {
        throw Broken("a request that was written cannot be read: \(text(line))")
    }
    try hold(written(read, id) == line, "a request is another one when it was written: \(text(line))")
}

private func written(_ request: Request, _ id: RequestID) -> [UInt8] {
    var writer = ByteWriter()
    request.write(id: id, into: &writer)
    // Without the newline.
    return writer.bytes.dropLast()
}

/// Checks that an error is a line that a client can read, and a short one.
private func checkAnswer(_ error: WireError, _ id: RequestID) throws {
    // A request without an id gets no answer.
    if id == .absent { return }
    try hold(!error.message.isEmpty && error.message.utf8.count < 2000, "an error is too short or too long: \(error)")
    var writer = ByteWriter()
    error.write(id: id, into: &writer)
    try writer.withUnsafeBytes { line in
        let body = UnsafeRawBufferPointer(rebasing: line.dropLast())
        try hold(!body.contains(UInt8(ascii: "\n")), "an error is more than a line")
        guard case .failure(let answered, let read) = try Message(line: body) else {
            throw Broken("an error is not read as one: \(text(line))")
        }
        try hold(answered == id, "an error has another id when it was written")
        try hold(read.code == error.code && read.message == error.message, "an error changes on its way")
    }
}
