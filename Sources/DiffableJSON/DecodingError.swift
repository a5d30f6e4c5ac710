import Diffable

/// Why a text cannot be decoded: it is not JSON, it has the wrong members or values, or it is too large.
package struct DecodingError: Error, Equatable, Sendable {
    package var reason: Reason
    /// The path of the wrong value, such as `operations[3].items[0].id`. Empty for the whole text.
    package var path: String
    /// The index of the operation that contains the value; nil outside of operations.
    package var operation: Int?
    /// The offset of a value that is too large, in bytes, if it is known.
    private var placeInText: Int?

    package enum Reason: Equatable, Sendable {
        case syntax(JSONError)
        /// A sentence with the mistake and the remedy, and the offset in the text, in bytes.
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

    /// In bytes from the beginning of the text; nil if it is unknown.
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

    package static func identifier(
        _ error: IdentifierError, _ what: String, at offset: Int, lengthMax: Int
    ) -> DecodingError {
        if case .tooLong = error { return DecodingError(.tooLarge(limit: "idLengthMax", max: lengthMax), at: offset) }
        return .invalid("\(what) \(error)", at: offset)
    }

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
        // The offset already gives the position.
        case .syntax(let error): return "\(error)"
        case .invalid, .tooLarge: return offset.map { "\(statement) (at byte \($0))" } ?? statement
        }
    }

    /// The same message without the offset, for a text that the user has not seen.
    package var statement: String {
        switch reason {
        case .syntax(let error): "\(error)"
        case .invalid(let sentence, _): located(sentence)
        case .tooLarge(let limit, let max): located(Self.sentence(limit: limit, max: max))
        }
    }

    /// The message after its path. A message that begins with the last member of the path does not name it again.
    private func located(_ sentence: String) -> String {
        if path.isEmpty { return sentence }
        let member = path.utf8.lastIndex(of: UInt8(ascii: ".")).map { path[path.utf8.index(after: $0)...] } ?? path[...]
        guard sentence.utf8.starts(with: "\(member) ".utf8) else { return "\(path): \(sentence)" }
        return path + sentence.dropFirst(member.count)
    }

    private static func sentence(limit: String, max: Int) -> String {
        return switch limit {
        case "depthMax": "there are more than \(max) nested arrays and objects (depthMax); use fewer levels"
        case "idLengthMax":
            "an id, a name, a kind or a key is longer than \(max) bytes (idLengthMax); use a shorter one"
        case "contentLengthMax": "the content is longer than \(max) bytes (contentLengthMax); store the rest elsewhere"
        case "levelsMax":
            "items are nested deeper than \(max) levels (levelsMax); use fewer levels"
        case "operationsMax":
            "there are more than \(max) operations (operationsMax) in one line; send them in parts: \"more\":true in all but the "
                + "last, which has \"more\":false"
        case "viewLengthMax":
            "the view is longer than \(max) bytes (viewLengthMax) without white space; use fewer ids or conditions"
        case "searchLengthMax":
            "the search is longer than \(max) bytes (searchLengthMax); search for fewer or shorter words"
        case "searchPathsMax":
            "the search has more than \(max) paths (searchPathsMax); use fewer, or search all strings"
        case "viewTermsMax":
            "the view has more than \(max) tests, search words and sort paths together (viewTermsMax); simplify it, or filter "
                + "in the client"
        case "viewSegmentsMax":
            "the paths of the view have more than \(max) segments (parts between slashes) together (viewSegmentsMax); use fewer or "
                + "shorter paths"
        case "viewIdsMax": "the view has more than \(max) ids of sections and items (viewIdsMax); use fewer"
        case "schemaLengthMax":
            "the schemas of a list are longer than \(max) bytes (schemaLengthMax) together, without white space; shorten them"
        case "schemaDepthMax": "there are more than \(max) nested schemas (schemaDepthMax); use fewer levels"
        case "schemaKeywordsMax":
            "the schemas of a list have more than \(max) keywords (schemaKeywordsMax) together; simplify them"
        case "argumentsLengthMax":
            "the arguments are longer than \(max) bytes (argumentsLengthMax), white space between values not counted; shorten them"
        case "resultLengthMax":
            "the answer is longer than \(max) bytes (resultLengthMax), white space between values not counted; shorten it"
        case "actionsPerHandlerMax":
            "there are more than \(max) actions (actionsPerHandlerMax); name fewer, or leave actions out to handle all"
        case "windowRowsMax":
            "the window has more than \(max) rows (windowRowsMax); ask for fewer, or leave the window out"
        default: "this is more than the limit of \(max) (\(limit)); send less"
        }
    }
}
