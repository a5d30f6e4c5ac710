import ArgumentParser
import Diffable
import DiffableInput

/// Builds an object from paths and values, with members in the order in which they first appear.
struct ContentMembers {
    private var members: [(name: String, value: Value)] = []

    private enum Value {
        case content(Content)
        case object(ContentMembers)

        var content: Content {
            switch self {
            case .content(let content): content
            case .object(let members): members.content
            }
        }
    }

    var content: Content { .object(members.map { ($0.name, $0.value.content) }) }

    mutating func add(_ value: Content, at path: FieldPath) throws {
        guard !path.names.isEmpty else {
            throw ValidationError(". is the content as a whole: give it as JSON, without a key")
        }
        guard add(value, path.names[...]) else { throw ValidationError("\(path) is given twice: give it once") }
    }

    /// False if the place, or a place on the way to it, already has a value.
    private mutating func add(_ value: Content, _ names: ArraySlice<String>) -> Bool {
        let index = members.firstIndex { $0.name == names[names.startIndex] }
        if names.count == 1 {
            guard index == nil else { return false }
            members.append((names[names.startIndex], .content(value)))
            return true
        }
        guard let index else {
            var inner = ContentMembers()
            guard inner.add(value, names.dropFirst()) else { return false }
            members.append((names[names.startIndex], .object(inner)))
            return true
        }
        guard case .object(var inner) = members[index].value, inner.add(value, names.dropFirst()) else { return false }
        members[index].value = .object(inner)
        return true
    }
}
