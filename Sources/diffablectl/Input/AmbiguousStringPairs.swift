import Diffable
import DiffableClient
import DiffableInput

/// Pairs `key=value` whose value is stored as a string and reads as true, false, null or a number.
struct AmbiguousStringPairs {
    private struct Pair {
        let path: FieldPath
        let key: String
        let value: String

        /// The JSON value that the string reads as. `present` is the value that it would replace.
        func json(replacing present: JSONReader?) -> String? {
            let word = value.lowercased()
            if ["true", "false", "null"].contains(word) { return word }
            if present?.typeDescription == "true or false" {
                if ["yes", "on", "1"].contains(word) { return "true" }
                if ["no", "off", "0"].contains(word) { return "false" }
            }
            if let json = Content.parsed(value) { return JSONReader(json).isNumber ? value : nil }
            // JSON has no 007, +5 and .5.
            guard word.contains(where: \.isNumber), let number = Double(value), number.isFinite else { return nil }
            return Int(exactly: number).map { "\($0)" } ?? "\(number)"
        }

        var isNumber: Bool { json(replacing: nil).map { !["true", "false", "null"].contains($0) } ?? false }

        func words(for json: String) -> String {
            "\(key)=\(value) stores the text \(Content.string(value.utf8)); to store the value \(json), use \(key):=\(json)"
        }
    }

    private let pairs: [Pair]

    init(_ arguments: [String]) {
        pairs = ContentArguments.stringPairs(of: arguments).map { Pair(path: $0.path, key: $0.key, value: $0.value) }
            .filter { $0.json(replacing: .some(JSONReader(.true))) != nil }
    }

    var isEmpty: Bool { pairs.isEmpty }

    /// Refuses a string that would replace a boolean or a number and reads as one.
    func check(against present: [PresentContent]) throws {
        for pair in pairs {
            for place in present {
                guard let value = place.content.flatMap({ JSONReader($0).value(at: pair.path) }),
                    value.isNumber || value.typeDescription == "true or false", let json = pair.json(replacing: value)
                else { continue }
                let text = Content.string(pair.value.utf8)
                throw CommandError(
                    .refused,
                    "\(pair.key) of \(place.name) is \(value.json), and \(pair.key)=\(pair.value) would make it the text "
                        + "\(text); nothing was changed. Use \(pair.key):=\(json), or "
                        + "\(shellQuoted("\(pair.key):=\(text)")) for the text")
            }
        }
    }

    /// Warns of true, false and null that are stored as strings, unless the old values are strings.
    func warn(replacing present: [PresentContent] = []) {
        for pair in pairs where !pair.isNumber {
            let values = present.map { $0.content.flatMap { JSONReader($0).value(at: pair.path) } }
            if !values.isEmpty, values.allSatisfy({ $0?.isString ?? false }) { continue }
            if let json = pair.json(replacing: nil) { printMessage(pair.words(for: json)) }
        }
    }

    /// Also warns of numbers that are stored as strings, if other items of the list have numbers there.
    func warn(ofItemIn list: ListName, _ options: ChangeOptions) async {
        if options.quiet { return }
        warn()
        for pair in pairs where pair.isNumber {
            guard let json = pair.json(replacing: nil), await options.hasNumber(at: pair.path, in: list) else {
                continue
            }
            printMessage("\(pair.words(for: json)), as other items do")
        }
    }
}

struct PresentContent {
    let name: String
    let content: Content?

    init(_ item: Item) {
        name = quoted(item.id)
        content = item.content
    }

    init(name: String, content: Content?) {
        self.name = name
        self.content = content
    }

    /// `replaced 4 members; done and due are gone (patch would have kept them)`; nil if a new content has all members of the
    /// old ones.
    static func loss(of present: [PresentContent], replacedBy new: Content?, hasPatch: Bool = true) -> String? {
        let kept = new.map { JSONReader($0).memberNames } ?? []
        var gone: [String] = []
        for name in present.flatMap({ $0.content.map { JSONReader($0).memberNames } ?? [] })
        where !kept.contains(name) && !gone.contains(name) { gone.append(name) }
        guard !gone.isEmpty else { return nil }
        let names = gone.map { harmless($0) }
        let shown =
            names.count > 6
            ? "\(names.prefix(5).joined(separator: ", ")) and \(names.count - 5) others"
            : (names.count == 1 ? [] : [names.dropLast().joined(separator: ", "), " and "]).joined()
                + (names.last ?? "")
        let count = present.count == 1 ? present[0].content.map { JSONReader($0).memberNames.count } : nil
        return (count.map { "replaced \(counted($0, "member")); " } ?? "")
            + "\(shown) \(gone.count == 1 ? "is" : "are") gone"
            + (hasPatch ? " (patch would have kept \(gone.count == 1 ? "it" : "them"))" : "")
    }
}

extension ChangeOptions {
    enum Place {
        case item(ItemID)
        case section(SectionID)
        case list
    }

    /// The content at a place; empty if there is none, or if it cannot be read.
    func present(_ place: Place, in list: ListName) async -> [PresentContent] {
        let id = if case .item(let item) = place { item.description } else { "" }
        let view = Content.object([
            ("where", .object([("path", .string("id".utf8)), ("equals", .string(id.utf8))]))
        ])
        guard let snapshot = await snapshot(of: list, view) else { return [] }
        switch place {
        case .item(let id): return snapshot.item(id).map { [PresentContent($0)] } ?? []
        case .section(let id):
            return snapshot.section(id).map { [PresentContent(name: quoted(id), content: $0.content)] } ?? []
        case .list: return [PresentContent(name: "\(list)", content: snapshot.content)]
        }
    }

    fileprivate func hasNumber(at path: FieldPath, in list: ListName) async -> Bool {
        func term(_ name: String) -> Content { .object([("path", .string(path.pointer.utf8)), (name, .number(0))]) }
        let view = Content.object([
            ("where", .object([("or", .array([term("lessThan"), term("atLeast")]))])),
            ("window", .object([("limit", .number(1))])),
        ])
        return await snapshot(of: list, view)?.itemIdentifiers.isEmpty == false
    }

    private func snapshot(of list: ListName, _ view: Content) async -> Snapshot? {
        guard let view = try? ListView(json: view.description) else { return nil }
        return try? await daemon.withConnection { try await $0.state(of: list, ListOptions(view: view)).snapshot }
    }
}
