import Diffable
import DiffableJSON

extension Request {
    package struct Restrict: Sendable, Equatable {
        /// The methods that stay; nil: all.
        package var methods: Set<Method>?
        /// The lists that stay, as names and as prefixes with a trailing `*`; nil: all.
        package var lists: [ListName]?

        /// The largest number of names and prefixes.
        package static let listsMax = 1_000

        package init(methods: Set<Method>? = nil, lists: [ListName]? = nil) {
            self.methods = methods
            self.lists = lists
        }
    }
}

extension Request.Restrict: RequestParameters {
    static func read(from decoder: inout Decoder, list: inout ListName?) throws(DecodingError) -> Request {
        var restrict = Self()
        try readObject(from: &decoder) { parameter, decoder throws(DecodingError) in
            switch parameter {
            case .methods: restrict.methods = try decoder.methods()
            case .lists:
                restrict.lists = try decoder.listPatterns()
            }
        }
        guard restrict.methods != nil || restrict.lists != nil else {
            throw .invalidRequest("restrict needs at least one of the parameters methods and lists")
        }
        return .restrict(restrict)
    }

    func write(into writer: inout ByteWriter) {
        if let methods {
            writer.appendParameterName("methods")
            writer.appendArray(methods.inOrder) { method, writer in writer.appendString(method.rawValue) }
        }
        if let lists {
            writer.appendParameterName("lists")
            writer.appendArray(lists) { list, writer in writer.appendString(list) }
        }
    }
}

extension Set<Method> {
    /// In the order of `help`.
    package var inOrder: [Method] { Method.allCases.filter(contains) }
}

extension Decoder {
    fileprivate mutating func listPatterns() throws(DecodingError) -> [ListName] {
        let max = Request.Restrict.listsMax
        var patterns: [ListName] = []
        try array("lists") { index, decoder throws(DecodingError) in
            guard index < max else {
                throw .invalid(
                    "lists has more than \(max) names and prefixes; use prefixes, such as \"menu*\"",
                    at: decoder.scanner.offset)
            }
            patterns.append(try decoder.identifier("a list"))
        }
        return patterns
    }

    fileprivate mutating func methods() throws(DecodingError) -> Set<Method> {
        var methods: Set<Method> = []
        try array("methods") { _, decoder throws(DecodingError) in
            let name = try decoder.string("a method")
            guard let method = Method.named(name) else { throw Method.unknown(name.text, at: name.offset) }
            methods.insert(method)
        }
        return methods
    }
}
