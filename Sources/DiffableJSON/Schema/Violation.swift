package struct Violation: Error, Equatable, Sendable {
    /// The path of the value in the content, as a JSON pointer (RFC 6901). Empty for the content itself.
    package var path: String
    /// The keyword of the schema; `false` for the schema that accepts nothing, `others` for a kind that has no schema.
    package var keyword: String
    /// The requirement and the actual value: `must be a string, not 7`.
    package var predicate: String
    /// The kind of the item; empty if it has none, or if the schema was checked without its set.
    package var kind = ""

    /// The message: `/due of item "milk" must be a string, not 7`. `item` is the item's id.
    package func sentence(of item: String? = nil) -> String {
        let item = item.map { "item \($0.quoted)" }
        // A kind is a property of the item, not of the content.
        if keyword == "others" { return "\(item ?? "the item") \(predicate)" }
        let subject = path.isEmpty ? "the content" : path.shown
        return "\(subject)\(item.map { " of \($0)" } ?? "") \(predicate)"
    }
}

extension Violation: CustomStringConvertible {
    package var description: String { sentence() }
}

extension Schema {
    /// Describes a failure in words. O(length of the content · depth). `content` is empty for none.
    func violation(_ failure: SchemaFailure, in content: UnsafeRawBufferPointer) -> Violation {
        let text = content.isEmpty ? Self.null : content
        let path = JSONPointer(to: failure.offset, in: text)
        return Violation(
            path: path.text, keyword: failure.keyword?.text ?? "false",
            predicate: predicate(of: failure, path, found: content.isEmpty ? nil : path.value))
    }

    /// `found` is the actual value, or nil for no content.
    private func predicate(of failure: SchemaFailure, _ path: JSONPointer, found: JSONValue?) -> String {
        guard let keyword = failure.keyword else { return "is not allowed, because the schema is false" }
        let rule = rules[failure.rule]
        let found = found.map { ", not \($0.sort)" } ?? ", but there is none"
        switch keyword {
        case .type: return "must be \(rule.types.phrase)\(found)"
        case .enum, .const:
            let texts = constantTexts[ConstantKey(rule: failure.rule, keyword: keyword)] ?? ""
            return texts.isEmpty ? "is not allowed, because enum is empty" : "must be \(texts)\(found)"
        case .minimum: return "must be at least \(boundText(rule, keyword))\(found)"
        case .maximum: return "must be at most \(boundText(rule, keyword))\(found)"
        case .exclusiveMinimum: return "must be more than \(boundText(rule, keyword))\(found)"
        case .exclusiveMaximum: return "must be less than \(boundText(rule, keyword))\(found)"
        case .minLength: return "must have at least \(Self.counted(rule.minLength, "character")), not \(failure.number)"
        case .maxLength: return "must have at most \(Self.counted(rule.maxLength, "character")), not \(failure.number)"
        case .minItems: return "must have at least \(Self.counted(rule.minItems, "element")), not \(failure.number)"
        case .maxItems: return "must have at most \(Self.counted(rule.maxItems, "element")), not \(failure.number)"
        case .required:
            let missing = names(of: rule) { $0.requirement == failure.number }
            return "must have the member \((missing.first ?? "").quoted)"
        case .additionalProperties:
            let known = names(of: rule) { $0.isDeclared }
            let advice = nearestName(to: path.name, among: known).map { "; did you mean \"\($0)\"?" }
            return "is a member that the schema does not allow\(advice ?? "")"
        default: return "is not allowed, because its schema is false"
        }
    }

    private static func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

    private func names(of rule: SchemaRule, _ isMeant: (SchemaProperty) -> Bool) -> [String] {
        rule.properties.filter { isMeant(properties[$0]) }.map { String(decoding: names.string($0), as: UTF8.self) }
    }

    private func boundText(_ rule: SchemaRule, _ keyword: SchemaKeyword) -> String {
        bounds[rule.bounds].first { $0.keyword == keyword }?.text ?? ""
    }
}
