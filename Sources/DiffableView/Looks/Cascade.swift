import DiffableJSON

/// Sources of a value in descending priority: the first one with a value of the right type is used.
struct Cascade {
    private let cascade: [ContentValue]
    /// Nil where texts have no formats.
    let clock: WallClock?

    init(_ cascade: [ContentValue?], _ clock: WallClock? = nil) {
        self.cascade = cascade.compactMap(\.self)
        self.clock = clock
    }

    func value<Value>(_ name: String, _ read: (ContentValue) -> Value?) -> Value? {
        for layer in cascade {
            if let value = layer[name].flatMap(read) { return value }
        }
        return nil
    }

    func boolean(_ name: String) -> Bool? { value(name, \.boolean) }

    func text(_ name: String) -> String? { shownText(name)?.text }

    func shownText(_ name: String) -> FormattedText? { value(name) { $0.shownText(clock) } }

    func name<Value: RawRepresentable<String>>(_ name: String) -> Value? { value(name) { $0.text.flatMap(Value.init) } }

    func actions(_ name: String) -> [Action]? { value(name) { $0.elements?.compactMap(Action.init) } }
}

extension ContentValue {
    /// Replaces a kind's references to an item's content: `{"path":"/due"}` becomes the value at that path, a number as text
    /// where text is expected, and `{"path":"/due","format":"age"}` becomes `{"value":…,"format":"age"}`. Actions stay
    /// unchanged: a path in their arguments is an argument.
    func resolvingPaths(in content: ContentValue?) -> ContentValue {
        guard case .object(let members) = self else { return self }
        return .object(
            members.compactMap { member in
                if member.name.lowercased().hasSuffix("actions") { return member }
                guard let value = member.value.resolved(in: content) else { return nil }
                let isText = ["text", "secondaryText", "tooltip", "accessibilityLabel"].contains(member.name)
                if isText, value != member.value, case .number(let number) = value {
                    return Member(member.name, .text(number))
                }
                return Member(member.name, value)
            })
    }

    /// Nil if a path leads nowhere.
    private func resolved(in content: ContentValue?) -> ContentValue? {
        switch self {
        case .object(let members):
            if let path = self["path"]?.text, members.count == 1 || isOfValue {
                return content?.value(at: path).map { value in
                    members.count == 1
                        ? value : .object(members.map { $0.name == "path" ? Member("value", value) : $0 })
                }
            }
            return .object(
                members.compactMap { member in
                    member.value.resolved(in: content).map { Member(member.name, $0) }
                })
        case .array(let elements): return .array(elements.compactMap { $0.resolved(in: content) })
        default: return self
        }
    }

    /// Whether it describes how the value at its path is drawn.
    var isOfValue: Bool { ["format", "map", "thresholds"].contains { self[$0] != nil } }

    /// A non-negative integer.
    var count: Int? { number.flatMap { Int(exactly: $0) }.flatMap { $0 >= 0 ? $0 : nil } }

    /// A positive integer.
    var size: Int? { count.flatMap { $0 > 0 ? $0 : nil } }
}
