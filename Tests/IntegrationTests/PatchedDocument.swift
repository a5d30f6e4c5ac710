import Foundation

/// A JSON document to which JSON patches (RFC 6902) are applied. It knows nothing of lists.
struct PatchedDocument {
    private(set) var root: Value

    indirect enum Value: Equatable {
        case object([String: Value])
        case array([Value])
        /// Any other value, as its text.
        case scalar(String)

        init(_ json: Any) {
            switch json {
            case let object as [String: Any]: self = .object(object.mapValues(Value.init))
            case let array as [Any]: self = .array(array.map(Value.init))
            default: self = .scalar("\(json)")
            }
        }
    }

    init(_ json: Any) { root = Value(json) }

    mutating func apply(_ steps: [[String: Any]]) throws {
        for step in steps {
            let path = try Self.path(step["path"])
            switch step["op"] as? String {
            case "add":
                guard let value = step["value"] else { throw Failure("an add without a value: \(step)") }
                try Self.insert(Value(value), at: path[...], into: &root)
            case "remove": _ = try Self.remove(at: path[...], from: &root)
            case "move":
                let value = try Self.remove(at: try Self.path(step["from"])[...], from: &root)
                try Self.insert(value, at: path[...], into: &root)
            default: throw Failure("an unknown step: \(step)")
            }
        }
    }

    private static func path(_ text: Any?) throws -> [String] {
        guard let text = text as? String, text.hasPrefix("/") else { throw Failure("no path: \(text ?? "")") }
        return text.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    }

    private static func insert(_ value: Value, at path: ArraySlice<String>, into owner: inout Value) throws {
        try change(at: path, in: &owner) { owner, name in
            switch owner {
            case .object(var members):
                members[name] = value
                owner = .object(members)
            case .array(var elements):
                guard let index = Int(name), index <= elements.count else { throw Failure("no place \(name)") }
                elements.insert(value, at: index)
                owner = .array(elements)
            case .scalar: throw Failure("no place \(name) in a scalar")
            }
        }
    }

    private static func remove(at path: ArraySlice<String>, from owner: inout Value) throws -> Value {
        var removed: Value?
        try change(at: path, in: &owner) { owner, name in
            switch owner {
            case .object(var members):
                removed = members.removeValue(forKey: name)
                owner = .object(members)
            case .array(var elements):
                guard let index = Int(name), index < elements.count else { throw Failure("nothing at \(name)") }
                removed = elements.remove(at: index)
                owner = .array(elements)
            case .scalar: break
            }
        }
        guard let removed else { throw Failure("nothing at \(path.joined(separator: "/"))") }
        return removed
    }

    /// Calls the body with the container of the path's last name.
    private static func change(
        at path: ArraySlice<String>, in owner: inout Value, _ body: (inout Value, String) throws -> Void
    ) throws {
        guard let name = path.first else { throw Failure("the root is never changed") }
        if path.count == 1 { return try body(&owner, name) }
        switch owner {
        case .object(var members):
            guard var child = members.removeValue(forKey: name) else { throw Failure("nothing at \(name)") }
            try change(at: path.dropFirst(), in: &child, body)
            members[name] = child
            owner = .object(members)
        case .array(var elements):
            guard let index = Int(name), elements.indices.contains(index) else { throw Failure("nothing at \(name)") }
            try change(at: path.dropFirst(), in: &elements[index], body)
            owner = .array(elements)
        case .scalar: throw Failure("nothing in a scalar")
        }
    }
}
