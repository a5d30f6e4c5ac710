import Diffable
import DiffableJSON

extension Request {
    package struct Answer: Sendable {
        package var request: Int
        package var verdict: Verdict

        package enum Verdict: Sendable {
            /// `operations` replace the proposed ones.
            case consent(result: [UInt8]?, operations: [ListOperation]?)
            /// Nothing happened. The text is for the caller.
            case refusal(String)
            /// The action may have happened. The text is for the caller.
            case failure(String)
        }

        package init(_ request: Int, _ verdict: Verdict) {
            self.request = request
            self.verdict = verdict
        }
    }
}

extension Request.Answer: RequestParameters {
    static func read(from decoder: inout Decoder, list: inout ListName?) throws(DecodingError) -> Request {
        var request: Int?
        var result: [UInt8]?
        var refusal: String?
        var failure: String?
        var operations: [ListOperation]?
        try readObject(from: &decoder) { parameter, decoder throws(DecodingError) in
            switch parameter {
            case .request: request = try decoder.wholeNumber("request")
            case .result: result = try decoder.result()
            case .refusal: refusal = try decoder.words("refusal")
            case .failure: failure = try decoder.words("failure")
            case .operations: operations = try decoder.operations()
            }
        }
        let number = try needed(request, .request)
        let isConsent = result != nil || operations != nil
        switch (refusal, failure) {
        case (nil, nil): return .answer(Self(number, .consent(result: result, operations: operations)))
        case (let refusal?, nil) where !isConsent: return .answer(Self(number, .refusal(refusal)))
        case (nil, let failure?) where !isConsent: return .answer(Self(number, .failure(failure)))
        default:
            throw .invalidRequest("answer takes only one of these: refusal; failure; or result, operations or both")
        }
    }

    func write(into writer: inout ByteWriter) {
        writer.appendParameter("request", request)
        switch verdict {
        case .consent(let result, let operations):
            if let result { writer.appendParameter("result", json: result) }
            if let operations {
                writer.appendParameter("operations", operations: operations, expansion: .canonical)
            }
        case .refusal(let text): writer.appendParameter("refusal", text)
        case .failure(let text): writer.appendParameter("failure", text)
        }
    }
}

extension Decoder {
    fileprivate mutating func result() throws(DecodingError) -> [UInt8] {
        try uninterpreted(limit: "resultLengthMax", max: limits.resultLengthMax)
    }

    /// Reads a text of at most `resultLengthMax` bytes.
    fileprivate mutating func words(_ what: StaticString) throws(DecodingError) -> String {
        let (string, max) = (try string(what), limits.resultLengthMax)
        guard string.bytes.count <= max else {
            throw DecodingError(.tooLarge(limit: "resultLengthMax", max: max), at: string.offset)
        }
        return string.text
    }
}
