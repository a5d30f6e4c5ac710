import DiffableJSON

/// One line of a client, read: what it asks for, or the error that it is answered with.
package struct DecodedRequest: Sendable {
    /// `.absent` means that there is no reply, whatever the request is.
    package var id: RequestID
    package var request: Outcome
    /// Set when the line is refused. It may have been a part: then the whole request is refused.
    package var refusedLine: RefusedLine?

    /// A `Result` in which the error is boxed: it is rare, and so large that moving every request around in its room would
    /// be much of reading it.
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

    /// Reads a line of JSON-RPC, or of shorthand if it does not begin with a brace. O(length), in one pass unless
    /// there is an error.
    package init(line: UnsafeRawBufferPointer, limits: DecodingLimits) {
        var scanner = JSONScanner(line, depthMax: limits.depthMax)
        switch scanner.peek() {
        case UInt8(ascii: "{"): self.init(object: line, limits: limits)
        case UInt8(ascii: "["):
            let message =
                "batches are not supported: send one request per line, and what belongs together as one transact"
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

    /// Reads the line again: a syntax error anywhere in it comes first, and the id may stand behind the error.
    private init(
        failure: DecodingError, envelope: borrowing RequestEnvelope, line: UnsafeRawBufferPointer,
        limits: DecodingLimits
    ) {
        do throws(JSONError) {
            let id = try RequestEnvelope.id(of: line, limits: limits)
            let error = envelope.wireError(failure)
            // What is no request at all is no request without a reply either.
            let isRequest = error.code != .invalidRequest
            self.init(id: id == .absent && !isRequest ? .null : id, request: .failure(error))
        } catch {
            // Whatever id was read before the error is good: JSON-RPC asks for null only when it is not known.
            let id = envelope.id == .absent ? .null : envelope.id
            var found = WireError(.syntax(error), list: nil)
            // The first reading came as far, and knows which member it is.
            if case .tooDeep = error.reason, failure.offset == error.offset { found = envelope.wireError(failure) }
            self.init(id: id, request: .failure(found))
        }
    }
}
