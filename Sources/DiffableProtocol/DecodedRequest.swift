import DiffableJSON

/// A decoded line of a client: its request, or the error to reply with.
package struct DecodedRequest: Sendable {
    /// `.absent` means that the request, of any kind, gets no reply.
    package var id: RequestID
    package var request: Outcome
    /// Set for a refused line. It may have been a part: then the whole request is refused.
    package var refusedLine: RefusedLine?

    /// A `Result` with a boxed error: errors are rare, and so large that moving each request in their space would be a large
    /// share of the decoding time.
    package enum Outcome: Sendable {
        case success(Request)
        indirect case failure(WireError)

        package consuming func get() throws(WireError) -> Request {
            switch self {
            case .success(let request): return request
            case .failure(let error): throw error
            }
        }
    }

    init(id: RequestID, request: Outcome) {
        self.id = id
        self.request = request
    }

    /// Reads a line of JSON-RPC, or of shorthand if it does not begin with a brace. O(length), in one pass unless there is an
    /// error.
    package init(line: UnsafeRawBufferPointer, limits: DecodingLimits) {
        var scanner = JSONScanner(line, depthMax: limits.depthMax)
        switch scanner.peek() {
        case UInt8(ascii: "{"): self.init(object: line, limits: limits)
        case UInt8(ascii: "["):
            let message =
                "JSON-RPC batches are not supported: send one request per line, and operations that belong together in one transact"
            self.init(id: .null, request: .failure(WireError(.invalidRequest, message)))
        default: self.init(shorthand: line, limits: limits)
        }
        if case .failure = request { refusedLine = RefusedLine(line) }
    }

    private init(object line: UnsafeRawBufferPointer, limits: DecodingLimits) {
        var envelope = RequestEnvelope()
        do throws(DecodingError) {
            let request = try envelope.read(line, limits: limits)
            self.init(id: envelope.id, request: .success(request))
        } catch {
            self.init(failure: error, envelope: envelope, line: line, limits: limits)
        }
    }

    /// Reads the line again: a syntax error has precedence wherever it is, and the id may follow the error.
    private init(
        failure: DecodingError, envelope: borrowing RequestEnvelope, line: UnsafeRawBufferPointer,
        limits: DecodingLimits
    ) {
        do throws(JSONError) {
            let id = try RequestEnvelope.id(of: line, limits: limits)
            let error = envelope.wireError(failure)
            // A text that is not a request cannot be one without a reply either.
            let isRequest = error.code != .invalidRequest
            self.init(id: id == .absent && !isRequest ? .null : id, request: .failure(error))
        } catch {
            // An id that was read before the error is valid: JSON-RPC requires null only if the id is unknown.
            let id = envelope.id == .absent ? .null : envelope.id
            var found = WireError(.syntax(error), list: nil)
            // The first pass reached the same place, and knows the member.
            if case .tooDeep = error.reason, failure.offset == error.offset { found = envelope.wireError(failure) }
            self.init(id: id, request: .failure(found))
        }
    }
}
