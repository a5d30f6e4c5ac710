import Diffable
import DiffableInput
import DiffableJSON

extension DirectorySettings {
    var usualLook: Content {
        let name = WatchedPath.name(of: path)
        return .object([
            ("title", .string((name.isEmpty ? path : name).utf8)), ("subtitle", .string(path.utf8)),
            ("empty", .string("Nothing is in this directory".utf8)), ("layout", .string("table".utf8)),
            (
                "columns",
                .array([
                    .column("text", "name"), .column("size", format: "bytes"), .column("modified", format: "time"),
                ])
            ),
            (
                "kinds",
                .object([
                    ("directory", Self.kind("folder")), ("file", Self.kind("text-x-generic", "size", format: "bytes")),
                    ("link", Self.kind("emblem-symbolic-link", "target")),
                ])
            ),
        ])
    }

    /// `secondaryText` is the member that a list's row shows next to the name.
    private static func kind(_ icon: String, _ secondaryText: String? = nil, format: String? = nil) -> Content {
        var members = [("icon", Content.string(icon.utf8))]
        if let secondaryText { members.append(("secondaryText", .column("/\(secondaryText)", format: format))) }
        return .object(members)
    }
}

extension Content {
    /// A column of a table, or another reference to a member of the items.
    static func column(_ path: String, _ title: String? = nil, format: String? = nil, tint: Content? = nil) -> Content {
        var members = [("path", Content.string(path.utf8))]
        if let title { members.append(("title", .string(title.utf8))) }
        if let format { members.append(("format", .string(format.utf8))) }
        if let tint { members.append(("tint", tint)) }
        return .object(members)
    }

    func completed(by usual: Content?) -> Content {
        guard let usual else { return self }
        let view = JSONReader(self)
        let added = JSONReader(usual).members.filter { view.member($0.name) == nil }
        return .object((view.members + added).map { ($0.name, $0.value.content) })
    }
}
