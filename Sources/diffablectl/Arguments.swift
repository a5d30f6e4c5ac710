import ArgumentParser
import Diffable
import DiffableInput
import DiffableJSON

func listName(_ argument: String) throws -> ListName { try identifier(argument, "a list's name") }
func itemID(_ argument: String) throws -> ItemID { try identifier(argument, "an item's id") }
func sectionID(_ argument: String) throws -> SectionID { try identifier(argument, "a section's id") }
func requestKeyName(_ argument: String) throws -> RequestKey { try identifier(argument, "a request's key") }
func actionName(_ argument: String) throws -> ActionName { try identifier(argument, "an action's name") }
func kindName(_ argument: String) throws -> Kind { try identifier(argument, "a kind") }

func octalMode(_ argument: String) throws -> AccessMode {
    do throws(AccessModeError) { return try AccessMode(octal: argument) } catch {
        throw ValidationError("\(error)")
    }
}

/// A name as a user types it in a shell: quoted if the shell would change it.
func commandWord<Named>(_ name: Identifier<Named>) -> String { FieldCheck.shellQuoted("\(name)") }

func refuseRepetition(in lists: [ListName]) throws {
    var known: Set<ListName> = []
    for list in lists where !known.insert(list).inserted {
        throw ValidationError("the list \(quoted(list)) is named twice: name it once")
    }
}

private func identifier<Named>(_ argument: String, _ what: String) throws -> Identifier<Named> {
    do throws(IdentifierError) { return try Identifier(argument) } catch {
        throw ValidationError("\(what) \(error)")
    }
}

/// Parses content from arguments: one JSON text, or pairs. In a pair `key=value` is a string, and `key:=value` is JSON. A key is a
/// path, so that `.owner.name=root` is `{"owner":{"name":"root"}}`. `null` means no content.
enum ContentArguments {
    static func content(of arguments: [String]) throws -> Content? {
        if arguments.isEmpty { return nil }
        if arguments.count == 1, let json = try json(arguments[0]) { return json.content }
        return try object(of: arguments)
    }

    /// A merge patch. A member with the value `null` is removed, and `null` alone removes the content.
    static func patch(of arguments: [String]) throws -> Content {
        if arguments.count == 1, let json = try json(arguments[0]) {
            return json.content ?? .null
        }
        return try object(of: arguments)
    }

    private struct JSON { var content: Content? }

    /// Nil if the argument is a pair.
    private static func json(_ argument: String) throws -> JSON? {
        let isMeantAsJSON = argument.first.map { "{[\"".contains($0) } ?? false
        if !isMeantAsJSON, argument.contains("=") { return nil }
        do throws(JSONError) {
            return JSON(content: try content(json: argument))
        } catch {
            guard isMeantAsJSON else {
                throw ValidationError(
                    "the content \(argument.debugDescription) is neither JSON nor key=value; "
                        + "for plain text write text=\(argument.debugDescription)")
            }
            throw ValidationError(
                "the content is not JSON: \(error). In a shell, put JSON in single quotes: '{\"text\":\"Buy milk\"}'")
        }
    }

    static func object(of arguments: [String]) throws -> Content {
        var members = ContentMembers()
        for argument in arguments {
            let (path, value) = try member(argument)
            if path.names.dropFirst().contains(where: { Int($0) != nil }) {
                throw ValidationError(
                    "\(argument.debugDescription): cannot set one element of an array; give the whole array "
                        + "(key:='[…]'), or if \(path) is a member of an object, the object (key:='{…}')")
            }
            try members.add(value, at: path)
        }
        return members.content
    }

    /// The `key=value` pairs with their string values.
    static func stringPairs(of arguments: [String]) -> [(path: FieldPath, key: String, value: String)] {
        if arguments.count == 1, arguments[0].first.map({ "{[\"".contains($0) }) ?? true { return [] }
        return arguments.compactMap { argument in
            guard let sign = argument.firstIndex(of: "="), case let key = argument[..<sign], key.last != ":",
                let path = FieldPath(String(key))
            else { return nil }
            return (path, String(key), String(argument[argument.index(after: sign)...]))
        }
    }

    private static func member(_ argument: String) throws -> (FieldPath, Content) {
        guard let sign = argument.firstIndex(of: "="), sign != argument.startIndex else {
            throw ValidationError(
                "\(argument.debugDescription) is not a key=value pair; write content of several words as text=\"...\"")
        }
        let value = String(argument[argument.index(after: sign)...])
        let key = argument[..<sign]
        guard key.last == ":" else { return (try FieldPath(checking: String(key)), .string(value.utf8)) }
        let path = try FieldPath(checking: String(key.dropLast()))
        do throws(JSONError) {
            return (path, try content(json: value) ?? .null)
        } catch {
            throw ValidationError(
                "\(argument.debugDescription) is not key:=JSON: \(error); for a string write key=value")
        }
    }

    private static func content(json: String) throws(JSONError) -> Content? {
        let content: Result<Content?, JSONError> = Array(json.utf8).withUnsafeBytes { bytes in
            Result { () throws(JSONError) in try Content(json: bytes, depthMax: JSONReader.depthMax) }
        }
        return try content.get()
    }
}
