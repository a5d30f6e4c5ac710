import Diffable
import DiffableJSON
import DiffableView

// Appearances in the form of the table of cases: only members that differ from the default.

extension ContentValue {
    var content: Content? {
        var text = ""
        write(to: &text)
        return try? Content(json: text)
    }

    private func write(to text: inout String) {
        switch self {
        case .null: text += "null"
        case .boolean(let boolean): text += "\(boolean)"
        case .number(let number): text += number
        case .text(let string): text += Self.quoted(string)
        case .array(let elements):
            text += "["
            for (index, element) in elements.enumerated() {
                if index > 0 { text += "," }
                element.write(to: &text)
            }
            text += "]"
        case .object(let members):
            text += "{"
            for (index, member) in members.enumerated() {
                if index > 0 { text += "," }
                text += Self.quoted(member.name) + ":"
                member.value.write(to: &text)
            }
            text += "}"
        }
    }

    private static func quoted(_ string: String) -> String {
        var text = "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"", "\\": text += "\\\(scalar)"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }

    /// The value with its members sorted by name, at every depth.
    var sorted: ContentValue {
        switch self {
        case .array(let elements): .array(elements.map(\.sorted))
        case .object(let members):
            .object(members.map { Member($0.name, $0.value.sorted) }.sorted { $0.name < $1.name })
        default: self
        }
    }

    fileprivate init(_ members: [(String, ContentValue?)]) {
        self = ContentValue.object(members.compactMap { name, value in value.map { Member(name, $0) } }).sorted
    }

    fileprivate static func unless<Value: Equatable>(
        _ standard: Value, _ value: Value, _ write: (Value) -> ContentValue
    ) -> ContentValue? {
        value == standard ? nil : write(value)
    }

    fileprivate static func flag(_ value: Bool, unless standard: Bool) -> ContentValue? {
        unless(standard, value, ContentValue.boolean)
    }

    fileprivate static func number(_ value: Int) -> ContentValue { .number("\(value)") }
}

extension ItemLook {
    var json: ContentValue {
        var members: [(String, ContentValue?)] = []
        func add(_ name: String, _ value: ContentValue?) { members.append((name, value)) }
        add("text", .text(text))
        add("secondaryText", secondaryText.map { .text($0) })
        add("icon", icon?.json)
        add("image", image?.json)
        add("badge", badge?.json)
        add("tint", tint?.json)
        add("sign", sign.map { .text($0.rawValue) })
        add("changesAt", changesAt.map(ContentValue.number))
        add("progress", progress.map { .number($0 == $0.rounded() ? "\(Int($0))" : "\($0)") })
        add("checked", checkbox.map { .text($0.rawValue) })
        add("toggle", toggle.map { .text($0) })
        add("urgent", .flag(isUrgent, unless: false))
        add("enabled", .flag(isEnabled, unless: true))
        add("lines", .unless(1, lines, ContentValue.number))
        add("accessories", accessories.map { .array($0.map(\.json)) })
        add("hasChildren", .flag(hasChildren, unless: false))
        add("actions", actions.json)
        add("leadingActions", leadingActions.json)
        add("trailingActions", trailingActions.json)
        add("canReorder", .flag(canReorder, unless: false))
        add("accessibilityLabel", accessibilityLabel.map { .text($0) })
        add("tooltip", tooltip.map { .text($0) })
        add("keywords", keywords.map { .text($0) })
        add("list", list.map { .text($0) })
        return ContentValue(members)
    }
}

extension ImageSource {
    fileprivate var json: ContentValue {
        switch self {
        case .data(let text), .file(let text): .text(text)
        }
    }
}

extension SectionLook {
    var json: ContentValue {
        ContentValue([
            ("layout", .unless(SectionLayout(), layout, \.json)),
            ("appearance", .unless(.plain, appearance) { .text($0.rawValue) }),
            ("header", header?.json), ("footer", footer?.json),
            ("pinHeader", .flag(pinsHeader, unless: true)),
            ("separators", .flag(hasSeparators, unless: false)),
            ("columns", columns.map { .array($0.map(\.json)) }),
            ("selection", .unless(.single, selection) { .text($0.rawValue) }),
            ("canReorder", .flag(canReorder, unless: false)),
            ("canInsert", template ?? .flag(canInsert, unless: false)),
            ("hidesWhenEmpty", .flag(hidesWhenEmpty, unless: false)),
            ("more", .flag(hasMore, unless: false)),
        ])
    }
}

extension ListLook {
    var json: ContentValue {
        ContentValue([
            ("title", title.map { .text($0) }), ("subtitle", subtitle.map { .text($0) }), ("empty", empty?.json),
            ("actions", actions.json),
        ])
    }
}

extension Icon {
    fileprivate var json: ContentValue {
        switch self {
        case .character(let character): .text(String(character))
        case .named(let name): ContentValue([("name", .text(name))])
        }
    }
}

extension Badge {
    fileprivate var json: ContentValue {
        ContentValue([
            ("text", .text(text)), ("tint", tint?.json), ("sign", sign.map { .text($0.rawValue) }),
            ("count", count?.json),
        ])
    }
}

extension Badge.Count {
    fileprivate var json: ContentValue {
        switch self {
        case .all: return .boolean(true)
        case .having(let path, let equals, let isInverted):
            let test = ContentValue([("path", .text(path)), ("equals", equals)])
            return isInverted ? ContentValue([("not", test)]) : test
        }
    }
}

extension Tint {
    fileprivate var json: ContentValue {
        guard case .exact(let red, let green, let blue) = self else { return .text("\(self)") }
        let digits = [red, green, blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        return .text("#" + digits.joined())
    }
}

extension Accessory {
    fileprivate var json: ContentValue {
        ContentValue([
            ("type", .text(kind.rawValue)), ("text", text.map { .text($0) }), ("tint", tint?.json),
            ("displayed", .unless(.always, displayed) { .text($0.rawValue) }), ("action", action.map { .text($0) }),
        ])
    }
}

extension TableCell {
    var json: ContentValue {
        ContentValue([
            ("text", .text(text)), ("isNumber", isNumber.map { .boolean($0) }), ("tint", tint?.json),
            ("sign", sign.map { .text($0.rawValue) }), ("changesAt", changesAt.map(ContentValue.number)),
        ])
    }
}

extension [Action] {
    fileprivate var json: ContentValue? { isEmpty ? nil : .array(map(\.json)) }
}

extension Action {
    fileprivate var json: ContentValue {
        var members: [(String, ContentValue?)] = [
            ("id", .text(id)), ("title", .text(title)), ("icon", icon?.json),
            ("style", .unless(.default, style) { .text($0.rawValue) }), ("key", key.map { .text(String($0)) }),
            ("enabled", .flag(isEnabled, unless: true)), ("multiple", .flag(takesSeveral, unless: false)),
        ]
        switch confirmation {
        case .none: break
        case .standard: members.append(("confirm", .boolean(true)))
        case .text(let text): members.append(("confirm", .text(text)))
        }
        switch effect {
        case .perform(let arguments): members.append(("arguments", arguments))
        case .operations(let operations): members.append(("operations", .array(operations)))
        case .patch(let patch): members.append(("patch", patch))
        }
        return ContentValue(members)
    }
}

extension SectionLayout {
    fileprivate var json: ContentValue {
        ContentValue([
            ("type", .text(kind.rawValue)), ("columns", columns.map(ContentValue.number)),
            ("minWidth", minWidth.map(ContentValue.number)), ("itemWidth", itemWidth.map(ContentValue.number)),
            ("lines", lines.map(ContentValue.number)),
        ])
    }
}

extension TableColumn {
    fileprivate var json: ContentValue {
        ContentValue([
            ("path", .text(path)), ("title", .text(title)), ("align", alignment.map { .text($0.rawValue) }),
            ("width", width.map(ContentValue.number)), ("format", format.map { .text($0.rawValue) }), ("tint", tint),
        ])
    }
}
