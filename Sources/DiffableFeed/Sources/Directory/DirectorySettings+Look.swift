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
                    Self.column("text", "name"), Self.column("sizeText", "size", align: "right"),
                    Self.column("modifiedText", "modified"),
                ])
            ),
            (
                "kinds",
                .object([
                    ("directory", Self.kind("folder")), ("file", Self.kind("text-x-generic", "sizeText")),
                    ("link", Self.kind("emblem-symbolic-link", "target")),
                ])
            ),
        ])
    }

    private static func column(_ path: String, _ title: String, align: String? = nil) -> Content {
        var members = [("path", Content.string(path.utf8)), ("title", .string(title.utf8))]
        if let align { members.append(("align", .string(align.utf8))) }
        return .object(members)
    }

    /// `secondaryText` is the member that a list's row shows next to the name.
    private static func kind(_ icon: String, _ secondaryText: String? = nil) -> Content {
        var members = [("icon", Content.string(icon.utf8))]
        if let secondaryText {
            members.append(("secondaryText", .object([("path", .string("/\(secondaryText)".utf8))])))
        }
        return .object(members)
    }
}

extension Content {
    func completed(by usual: Content?) -> Content {
        guard let usual else { return self }
        let view = JSONReader(self)
        let added = JSONReader(usual).members.filter { view.member($0.name) == nil }
        return .object((view.members + added).map { ($0.name, $0.value.content) })
    }
}
