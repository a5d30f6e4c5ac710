import Diffable
import DiffableJSON

/// Finds mistakes in an appearance that the user wrote. Mistakes in a list's own appearance are ignored silently, because it
/// may be written for a newer viewer.
package enum LookCheck {
    private typealias Test = @Sendable (ContentValue) -> Bool

    /// A sentence for each unknown member and each ignored value.
    package static func complaints(of look: Content) -> [String] {
        var complaints: [String] = []
        let value = ContentValue(look)
        check(value, list, at: "", &complaints)
        if case .object(let kinds)? = value["kinds"] {
            for kind in kinds {
                let name = kind.name.isEmpty ? "\"\"" : kind.name
                check(kind.value, item, at: "kinds.\(name).", mayFollow: true, &complaints)
            }
        }
        for name in ["empty", "header", "footer"] {
            if let member = value[name], member.isObject { check(member, item, at: "\(name).", &complaints) }
        }
        if let layout = value["layout"], layout.isObject { check(layout, self.layout, at: "layout.", &complaints) }
        for (index, element) in (value["columns"]?.elements ?? []).enumerated() where element.isObject {
            check(element, column, at: "columns.\(index).", &complaints)
        }
        return complaints
    }

    /// A sentence for each member of an item's content that is ignored when it is drawn. Content may have any other members, too.
    package static func itemComplaints(of content: Content) -> [String] {
        guard case .object(let members) = ContentValue(content) else { return [] }
        return members.compactMap { member in
            item[member.name].flatMap { $0(member.value) ? nil : ignoredValueComplaint(member.name, member.value) }
        }
    }

    private static func ignoredValueComplaint(_ name: String, _ value: ContentValue) -> String {
        "\(harmlessText(name)) cannot be \(harmlessText(value.json)), so it is ignored"
    }

    /// `mayFollow` says whether a value may be a path into the item's content.
    private static func check(
        _ value: ContentValue, _ members: [String: Test], at path: String, mayFollow: Bool = false,
        _ complaints: inout [String]
    ) {
        guard case .object(let given) = value else {
            return complaints.append("\(harmlessText(path.dropLast().description)) is not an object, so it is ignored")
        }
        for member in given {
            let name = path + member.name
            guard let test = members[member.name] else {
                complaints.append("the unknown member \(harmlessText(name)) is ignored")
                continue
            }
            if mayFollow, member.value["path"] != nil, member.value["format"].map(format) ?? true { continue }
            if !test(member.value) { complaints.append(ignoredValueComplaint(name, member.value)) }
        }
    }

    // MARK: - Members

    private static let text: Test = { $0.shownText(WallClock()) != nil }
    private static let format: Test = { $0.text.flatMap(Format.init) != nil }
    private static let tint: Test = { TintChoice($0) != nil }
    private static let boolean: Test = { $0.boolean != nil }
    private static let size: Test = { $0.size != nil }
    private static let content: Test = { $0.text != nil || $0.isObject }
    private static let actions: Test = { $0.elements?.allSatisfy { Action($0) != nil } ?? false }

    private static let item: [String: Test] = [
        "text": text, "title": text, "label": text, "name": text, "secondaryText": text, "subtitle": text,
        "description": text, "icon": { Icon($0) != nil }, "image": { ImageSource($0) != nil },
        "badge": { Badge($0, WallClock()) != nil }, "tint": tint, "progress": { $0.number != nil },
        "checked": { Checkbox($0) != nil }, "toggle": { $0.text != nil }, "list": { $0.text != nil }, "urgent": boolean,
        "enabled": boolean,
        "lines": { $0.count != nil },
        "accessories": { $0.elements?.allSatisfy { Accessory($0, WallClock()) != nil } ?? false },
        "hasChildren": boolean,
        "actions": actions, "leadingActions": actions, "trailingActions": actions, "canReorder": boolean,
        "accessibilityLabel": text, "tooltip": text, "keywords": text,
    ]

    private static let list: [String: Test] = [
        "title": text, "subtitle": text, "empty": content, "kinds": { $0.isObject },
        "layout": { SectionLayout($0) != nil }, "appearance": { $0.text.flatMap(Appearance.init) != nil },
        "header": content, "footer": content, "pinHeader": boolean, "separators": boolean,
        "columns": { $0.elements != nil }, "actions": actions, "leadingActions": actions, "trailingActions": actions,
        "selection": { $0.text.flatMap(SelectionMode.init) != nil }, "canReorder": boolean,
        "canInsert": { $0.boolean != nil || $0.isObject }, "hidesWhenEmpty": boolean, "more": boolean,
    ]

    private static let layout: [String: Test] = [
        "type": { $0.text.flatMap(SectionLayout.Kind.init) != nil }, "columns": size, "minWidth": size,
        "itemWidth": size, "lines": size,
    ]

    private static let column: [String: Test] = [
        "path": text, "title": text, "align": { $0.text.flatMap(TableColumn.Alignment.init) != nil }, "width": size,
        "format": format, "tint": { $0.isOfValue || tint($0) },
    ]
}
