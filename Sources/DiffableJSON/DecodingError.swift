import Diffable

/// Why a text does not decode: it is not JSON, it does not say what it should, or it says too much.
package struct DecodingError: Error, Equatable, Sendable {
    package var reason: Reason
    /// Where, in the words of the text: `operations[3].items[0].id`. Empty at the text's top.
    package var path: String
    /// Which operation, counted from zero, if it is inside one.
    package var operation: Int?

    package enum Reason: Equatable, Sendable {
        case syntax(JSONError)
        /// A sentence that says what is wrong and what to do, and where in the text, in bytes.
        case invalid(String, offset: Int)
        /// The limit's name in the configuration, and its value.
        case tooLarge(limit: String, max: Int)
    }

    package init(_ reason: Reason, path: String = "", operation: Int? = nil) {
        self.reason = reason
        self.path = path
        self.operation = operation
    }

    package static func syntax(_ error: JSONError) -> DecodingError {
        // Depth is a matter of size: the same text is right under another limit.
        if case .tooDeep(let max) = error.reason { return DecodingError(.tooLarge(limit: "depthMax", max: max)) }
        return DecodingError(.syntax(error))
    }

    package static func invalid(_ sentence: String, at offset: Int) -> DecodingError {
        DecodingError(.invalid(sentence, offset: offset))
    }

    /// An id, at the place where it stands.
    package static func identifier(
        _ error: IdentifierError, _ what: String, at offset: Int, lengthMax: Int
    ) -> DecodingError {
        if case .tooLong = error { return DecodingError(.tooLarge(limit: "idLengthMax", max: lengthMax)) }
        return .invalid("\(what) \(error)", at: offset)
    }

    /// The same error seen from one level further out, where the failing value is this member.
    package func inside(_ member: String) -> DecodingError {
        var error = self
        let separator = path.isEmpty || path.hasPrefix("[") ? "" : "."
        error.path = "\(member)\(separator)\(path)"
        return error
    }

    func inside(index: Int) -> DecodingError { inside("[\(index)]") }
}

extension DecodingError: CustomStringConvertible {
    package var description: String {
        switch reason {
        // The offset says where; the path would only repeat it.
        case .syntax(let error): return "\(error)"
        case .invalid(let sentence, let offset):
            return path.isEmpty ? "\(sentence) (at byte \(offset))" : "\(path): \(sentence) (at byte \(offset))"
        case .tooLarge(let limit, let max):
            let sentence = "the limit is \(limit) = \(max)"
            return path.isEmpty ? sentence : "\(path): \(sentence)"
        }
    }
}
