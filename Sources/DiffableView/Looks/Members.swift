import Diffable
import DiffableJSON

// Parsers of members that are not plain text, number or boolean. Nil for a wrong type.

extension Icon {
    init?(_ value: ContentValue) {
        guard let text = value.text else { return nil }
        if let character = singleCharacter(text) {
            self = .character(character)
        } else {
            let isName = text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                    true
                default: false
                }
            }
            guard isName, !text.isEmpty else { return nil }
            self = .named(text)
        }
    }
}

extension ImageSource {
    init?(_ value: ContentValue) {
        guard let text = value.text else { return nil }
        if text.hasPrefix("data:image/") {
            self = .data(text)
        } else if text.hasPrefix("/") {
            self = .file(text)
        } else {
            return nil
        }
    }
}

extension Badge {
    init?(_ value: ContentValue, _ clock: WallClock?) {
        if case .number(let text) = value {
            self.init(text: text)
        } else if let shown = value.shownText(clock) {
            self.init(text: shown.text, changesAt: shown.changesAt)
        } else {
            if let count = value["count"].flatMap(Count.init) {
                self.init(text: "", count: count)
            } else {
                guard let text = value["text"], text["text"] == nil, let badge = Badge(text, clock) else { return nil }
                self = badge
            }
            let colour = value["tint"].flatMap(TintChoice.init)
            (tint, sign) = (colour?.tint, colour?.sign)
        }
    }
}

extension Badge.Count {
    init?(_ value: ContentValue) {
        if value == .boolean(true) {
            self = .all
        } else if let test = value["where"] {
            self.init(test: test, isInverted: false)
        } else {
            return nil
        }
    }

    private init?(test: ContentValue, isInverted: Bool) {
        if let inner = test["not"], inner["not"] == nil {
            self.init(test: inner, isInverted: !isInverted)
        } else if let path = test["path"]?.text, let equals = test["equals"] {
            self = .having(path: TableColumn.canonical(path), equals: equals, isInverted: isInverted)
        } else {
            return nil
        }
    }

    /// O(length of the content).
    package func includes(_ item: Item) -> Bool {
        switch self {
        case .all: return true
        case .having(let path, let equals, let isInverted):
            let value = item.content.flatMap { ContentValue($0).value(at: path) }
            let isEqual = value == equals || equals.number != nil && value?.number == equals.number
            return isEqual != isInverted
        }
    }
}

extension Tint {
    init?(_ value: ContentValue) {
        guard let text = value.text else { return nil }
        self.init(text)
    }
}

extension Checkbox {
    init?(_ value: ContentValue) {
        switch value {
        case .boolean(let isChecked): self = isChecked ? .checked : .unchecked
        case .null: self = .mixed
        default: return nil
        }
    }
}

extension Accessory {
    init?(_ value: ContentValue, _ clock: WallClock?) {
        guard let kind = (value.text ?? value["type"]?.text).flatMap(Kind.init) else { return nil }
        self.init(kind: kind)
        let shown = value["text"]?.shownText(clock)
        (text, changesAt) = (shown?.text, shown?.changesAt)
        tint = value["tint"].flatMap(Tint.init)
        displayed = value["displayed"]?.text.flatMap(Displayed.init) ?? .always
        action = value["action"]?.text
    }
}

extension SectionLayout {
    init?(_ value: ContentValue) {
        guard let kind = (value.text ?? value["type"]?.text).flatMap(Kind.init) else { return nil }
        self.init()
        self.kind = kind
        columns = value["columns"]?.size
        minWidth = value["minWidth"]?.size
        itemWidth = value["itemWidth"]?.size
        lines = value["lines"]?.size
    }
}

extension TableColumn {
    static func columns(_ value: ContentValue) -> [TableColumn]? { value.elements?.compactMap(TableColumn.init) }

    /// `cpu`, `.cpu` and `/cpu` are the same, as in commands; `id` and `kind` are the item's own.
    static func canonical(_ path: String) -> String {
        if path == "." { return "" }
        if ["", "id", "kind"].contains(path) || path.hasPrefix("/") { return path }
        let names = path.drop { $0 == "." }.split(separator: ".", omittingEmptySubsequences: false)
        return names.map { pointer(naming: String($0)) }.joined()
    }

    /// Returns the JSON pointer (RFC 6901) to a member.
    static func pointer(naming name: String) -> String {
        name.reduce(into: "/") { path, character in
            switch character {
            case "~": path += "~0"
            case "/": path += "~1"
            default: path.append(character)
            }
        }
    }

    private init?(_ value: ContentValue) {
        guard let path = (value.text ?? value["path"]?.text).map(Self.canonical) else { return nil }
        let name = path.split(separator: "/").last.map(String.init) ?? path
        self.init(
            path: path, title: value["title"]?.text.map(harmlessText) ?? harmlessText(name),
            alignment: value["align"]?.text.flatMap(Alignment.init), width: value["width"]?.size,
            format: value["format"]?.text.flatMap(Format.init),
            tint: value["tint"].flatMap { $0.isObject || TintChoice($0) != nil ? $0 : nil })
    }
}
