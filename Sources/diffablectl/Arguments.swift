import ArgumentParser
import Diffable
import DiffableJSON

// How names and contents are read from the command line. What is wrong with one is said in full.

func listName(_ argument: String) throws -> ListName { try identifier(argument, "a list's name") }
func itemID(_ argument: String) throws -> ItemID { try identifier(argument, "an item's id") }
func sectionID(_ argument: String) throws -> SectionID { try identifier(argument, "a section's id") }
func requestKeyName(_ argument: String) throws -> RequestKey { try identifier(argument, "a request's key") }
func kindName(_ argument: String) throws -> Kind { try identifier(argument, "a kind") }

func octalMode(_ argument: String) throws -> AccessMode {
    do throws(AccessModeError) { return try AccessMode(octal: argument) } catch {
        throw ValidationError("\(error)")
    }
}

private func identifier<Named>(_ argument: String, _ what: String) throws -> Identifier<Named> {
    do throws(IdentifierError) { return try Identifier(argument) } catch {
        throw ValidationError("\(what) \(error)")
    }
}

/// Content as the command line has it: one JSON text, or pairs of which `key=value` is a string and `key:=value` JSON.
///
/// `null` is no content.
enum ContentArguments {
    static func content(of arguments: [String]) throws -> Content? {
        if arguments.isEmpty { return nil }
        if arguments.count == 1, let json = try json(arguments[0]) { return json.content }
        return try object(of: arguments)
    }

    /// The JSON of a merge patch, in which `null` means something: what it stands for is taken away.
    static func patch(of arguments: [String]) throws -> Content {
        if arguments.count == 1, let json = try json(arguments[0]) {
            return json.content ?? Content(Array("null".utf8))
        }
        return try object(of: arguments)
    }

    private struct JSON { var content: Content? }

    /// `nil` when the argument is a pair and not meant as JSON.
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
            throw ValidationError("the content is no JSON: \(error)")
        }
    }

    private static func object(of arguments: [String]) throws -> Content {
        var members: [(String, Content)] = []
        for argument in arguments {
            let member = try member(argument)
            guard !members.contains(where: { $0.0 == member.0 }) else {
                throw ValidationError("\(member.0) is given twice")
            }
            members.append(member)
        }
        return .object(members)
    }

    private static func member(_ argument: String) throws -> (String, Content) {
        guard let sign = argument.firstIndex(of: "="), sign != argument.startIndex else {
            throw ValidationError(
                "\(argument.debugDescription) is no key=value pair; content of several words is given as text=\"...\"")
        }
        let value = String(argument[argument.index(after: sign)...])
        let key = argument[..<sign]
        guard key.last == ":" else { return (String(key), .string(value.utf8)) }
        do throws(JSONError) {
            return (String(key.dropLast()), try content(json: value) ?? Content(Array("null".utf8)))
        } catch {
            throw ValidationError(
                "\(argument.debugDescription) is no key:=JSON: \(error); for a string write key=value")
        }
    }

    private static func content(json: String) throws(JSONError) -> Content? {
        let content: Result<Content?, JSONError> = Array(json.utf8).withUnsafeBytes { bytes in
            Result { () throws(JSONError) in try Content(json: bytes, depthMax: JSONView.depthMax) }
        }
        return try content.get()
    }
}
