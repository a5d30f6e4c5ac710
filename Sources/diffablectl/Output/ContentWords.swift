import Diffable

/// What a content looks like in a line of text.
///
/// `text` and `secondaryText` (for sections `header`) are shown as they are; other objects as the `key=value` pairs
/// by which `diffablectl set` takes them; anything else as JSON.
enum ContentWords {
    static func describing(_ content: Content?, of id: String) -> String {
        guard let content else { return "" }
        let view = JSONView(content)
        if view.isString { return harmless(view.plainText) }
        guard view.isObject else { return harmless(view.json) }
        let main = ["text", "header"].lazy.compactMap { view.member($0) }.first { $0.isString }
        guard let main else { return pairs(of: view, besides: id) }
        guard let second = view.member("secondaryText"), second.isString else { return harmless(main.plainText) }
        return harmless("\(main.plainText) · \(second.plainText)")
    }

    /// Pairs whose value is the id say nothing new.
    private static func pairs(of view: JSONView, besides id: String) -> String {
        view.members
            .filter { $0.value.plainText != id }
            .map { "\(harmless($0.name))\($0.value.isString ? "=" : ":=")\(harmless($0.value.plainText))" }
            .joined(separator: " ")
    }
}

extension JSONView {
    /// What a string means; the JSON of anything else.
    var plainText: String {
        guard isString, let text else { return json }
        return String(decoding: text, as: UTF8.self)
    }
}
