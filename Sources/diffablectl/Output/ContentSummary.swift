import Diffable
import DiffableInput

/// Shows a content in a line of text: `text` and `secondaryText` (for sections `header`) as they are, other objects as the
/// `key=value` pairs of `diffablectl set`, and anything else as JSON.
enum ContentSummary {
    static func describing(_ content: Content?, of id: String) -> String {
        guard let content else { return "" }
        let view = JSONReader(content)
        if view.isString { return harmless(view.plainText) }
        guard view.isObject else { return harmless(view.json) }
        let main = ["text", "header"].lazy.compactMap { view.member($0) }.first { $0.isString }
        guard let main else { return pairs(of: view, besides: id) }
        guard let second = view.member("secondaryText"), second.isString else { return harmless(main.plainText) }
        return harmless("\(main.plainText) · \(second.plainText)")
    }

    /// The changed members as pairs, and the removed ones. If a content has no members, the whole content.
    static func changes(from old: Content?, to new: Content?) -> String {
        let (old, new) = (JSONReader(old ?? .null), JSONReader(new ?? .null))
        guard old.isObject, new.isObject else { return "was \(harmless(old.json)), is \(harmless(new.json))" }
        let changed = new.members.filter { old.member($0.name)?.json != $0.value.json }.map(pair)
        let gone = old.members.filter { new.member($0.name) == nil }.map { "no \(harmless(FieldPath.naming($0.name)))" }
        return (changed + gone).isEmpty ? "the members in another order" : (changed + gone).joined(separator: " ")
    }

    private static func pairs(of view: JSONReader, besides id: String) -> String {
        view.members.filter { $0.value.plainText != id }.map(pair).joined(separator: " ")
    }

    private static func pair(_ member: (name: String, value: JSONReader)) -> String {
        "\(harmless(FieldPath.naming(member.name)))\(member.value.isString ? "=" : ":=")\(harmless(member.value.plainText))"
    }
}
