import Diffable

/// Why a text cannot be decoded: it is not JSON, it has the wrong members or values, or it is too large.
package struct DecodingError: Error, Equatable, Sendable {
    package var reason: Reason
    /// The path of the value that is wrong, such as `operations[3].items[0].id`. Empty for the whole text.
    package var path: String
    /// The index of the operation that the value is in; nil outside of operations.
    package var operation: Int?
    /// The length of the value that is too large, in bytes, if it is known.
    private var placeInText: Int?

    package enum Reason: Equatable, Sendable {
        case syntax(JSONError)
        /// A sentence that says what is wrong and what to do, and the offset in the text, in bytes.
        case invalid(String, offset: Int)
        /// The name of the limit in the configuration, and its value.
        case tooLarge(limit: String, max: Int)
    }

    package init(_ reason: Reason, path: String = "", operation: Int? = nil, at offset: Int? = nil) {
        self.reason = reason
        self.path = path
        self.operation = operation
        self.placeInText = offset
    }

    /// The offset in the text, in bytes, if it is known.
    package var offset: Int? {
        switch reason {
        case .syntax(let error): error.offset
        case .invalid(_, let offset): offset
        case .tooLarge: placeInText
        }
    }

    package static func syntax(_ error: JSONError) -> DecodingError {
        // Depth counts as size, because the same text is valid under another limit.
        if case .tooDeep(let max) = error.reason {
            return DecodingError(.tooLarge(limit: "depthMax", max: max), at: error.offset)
        }
        return DecodingError(.syntax(error))
    }

    package static func invalid(_ sentence: String, at offset: Int) -> DecodingError {
        DecodingError(.invalid(sentence, offset: offset))
    }

    /// An id, at the place where it stands.
    package static func identifier(
        _ error: IdentifierError, _ what: String, at offset: Int, lengthMax: Int
    ) -> DecodingError {
        if case .tooLong = error { return DecodingError(.tooLarge(limit: "idLengthMax", max: lengthMax), at: offset) }
        return .invalid("\(what) \(error)", at: offset)
    }

    /// The same error, with a path that begins one level further out: the wrong value is in this member.
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
        // The offset tells the position already.
        case .syntax(let error): return "\(error)"
        case .invalid, .tooLarge: return offset.map { "\(statement) (at byte \($0))" } ?? statement
        }
    }

    /// The same message without the offset, for a text that the reader has not seen.
    package var statement: String {
        switch reason {
        case .syntax(let error): "\(error)"
        case .invalid(let sentence, _): located(sentence)
        case .tooLarge(let limit, let max): located(Self.sentence(limit: limit, max: max))
        }
    }

    /// The message with its path in front. A message that begins with the last member of the path does not name it again.
    private func located(_ sentence: String) -> String {
        if path.isEmpty { return sentence }
        let member = path.utf8.lastIndex(of: UInt8(ascii: ".")).map { path[path.utf8.index(after: $0)...] } ?? path[...]
        guard sentence.utf8.starts(with: "\(member) ".utf8) else { return "\(path): \(sentence)" }
        return path + sentence.dropFirst(member.count)
    }

    /// Says what is too large, which limit applies, and what to do.
    private static func sentence(limit: String, max: Int) -> String {
        let most = "\(limit) = \(max)"
        return switch limit {
        case "depthMax": "there are more than \(most) arrays and objects inside each other"
        case "idLengthMax": "an id, a name, a kind or a key is at most \(most) bytes long"
        case "contentLengthMax": "the content is longer than \(most) bytes"
        case "levelsMax": "items are at most \(most) levels deep, children's included"
        case "operationsMax":
            "there are more than \(most) operations in one line; send them in parts (\"more\":true)"
        case "viewLengthMax":
            "the view is longer than \(most) bytes without white space; name fewer ids, or ask for less"
        case "searchLengthMax": "the search is longer than \(most) bytes; search for fewer or shorter words"
        case "searchPathsMax": "the search looks at more than \(most) paths; name fewer, or search all strings"
        case "viewTermsMax":
            "the view asks for more than \(most) tests, words and paths; ask for less, or look for the rest yourself"
        case "schemaLengthMax": "the schemas of a list are at most \(most) bytes long together, without white space"
        case "schemaDepthMax": "there are more than \(most) schemas inside each other"
        case "schemaKeywordsMax": "the schemas of a list have more than \(most) keywords together; say less"
        case "argumentsLengthMax": "the arguments are longer than \(most) bytes without white space"
        case "resultLengthMax": "the answer is longer than \(most) bytes without white space"
        case "actionsPerHandlerMax":
            "there are more than \(most) actions; name fewer, or leave the actions out, which means all"
        case "windowRowsMax": "the window has more than \(most) rows; ask for fewer, or leave the window out"
        default: "the limit is \(most)"
        }
    }
}
