/// A path to a value in a content. All commands have the same syntax:
///
///     path    = dotted | pointer
///     dotted  = ["."] name { "." name }      .cpu   cpu   .owner.name   .tags.0
///     pointer = "/" name { "/" name }        /cpu   /owner/name   /tags/0
///     whole   = "."                          the content itself
///
/// `.cpu`, `cpu` and `/cpu` are the same. A pointer follows RFC 6901, where `~1` is a slash and `~0` a tilde; it can express a
/// name with a dot (`/a.b`). In an array a name is an index, counted from 0.
package struct FieldPath: Hashable, Sendable, CustomStringConvertible {
    /// The names of the members, from the outermost. Empty for the whole content.
    package let names: [String]
    /// The whole text as one name, because a row may have a column called `a.b`.
    package let name: String
    package let description: String

    package init?(_ text: String) {
        if text.hasPrefix("/") {
            var names: [String] = []
            for part in text.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
                guard let name = Self.unescaped(part) else { return nil }
                names.append(name)
            }
            self.names = names
            name = names.count == 1 ? names[0] : text
            description = text
        } else if text == "." {
            names = []
            name = ""
            description = "."
        } else {
            let dotted = text.hasPrefix(".") ? text.dropFirst() : text[...]
            let names = dotted.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            guard !names.contains("") else { return nil }
            self.names = names
            name = String(dotted)
            description = ".\(dotted)"
        }
    }

    package var pointer: String { names.map { "/\(Self.escaped($0))" }.joined() }

    package static func naming(_ name: String) -> String {
        name.isEmpty || name.contains(".") || name.hasPrefix("/") ? "/\(escaped(name))" : name
    }

    /// The path with a dot or a slash before it, so that it is never taken for an item's own field.
    package static func path(to name: String) -> String {
        let path = naming(name)
        return path.hasPrefix("/") ? path : ".\(path)"
    }

    /// The path to a member of a member: `.owner.name`, or with slashes if a name has a dot in it.
    static func path(to name: String, _ inner: String) -> String {
        let outer = path(to: name)
        return outer.hasPrefix("/") || naming(inner).hasPrefix("/")
            ? "/\(escaped(name))/\(escaped(inner))" : "\(outer).\(inner)"
    }

    /// Reads the field that an option names. A text that is not a path is taken as the name of a column, such as `No.`.
    package init?(ofRow text: String) {
        let name = text.hasPrefix(".") ? text.dropFirst() : text[...]
        guard let path = FieldPath(text) ?? (name.contains { $0 != "." } ? FieldPath(Self.naming(String(name))) : nil)
        else {
            return nil
        }
        self = path
    }
}

// MARK: - Tildes

extension FieldPath {
    private static func escaped(_ name: String) -> String {
        guard name.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else { return name }
        return name.unicodeScalars.map { $0 == "~" ? "~0" : $0 == "/" ? "~1" : String($0) }.joined()
    }

    private static func unescaped(_ part: Substring) -> String? {
        guard part.utf8.contains(UInt8(ascii: "~")) else { return String(part) }
        var name = String.UnicodeScalarView()
        var scalars = part.unicodeScalars.makeIterator()
        while let scalar = scalars.next() {
            switch scalar {
            case "~":
                switch scalars.next() {
                case "0": name.append("~")
                case "1": name.append("/")
                default: return nil
                }
            default: name.append(scalar)
            }
        }
        return String(name)
    }
}
