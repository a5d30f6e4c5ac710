import Diffable
import DiffableClient
import DiffableInput
import DiffableJSON

/// Warns on standard error of fields that no item has, and of numbers that are strings. With both, a command shows nothing, or
/// not the items that the user meant.
struct FieldAdvice {
    private let list: ListName
    private let fields: [NamedField]
    /// Nil for the newest revision.
    private let revision: Int?
    private let connection: Connection

    init(_ fields: [NamedField], of list: ListName, at revision: Int? = nil, over connection: Connection) {
        self.fields = fields
        self.list = list
        self.revision = revision
        self.connection = connection
    }

    /// Warns if fields are missing in `shown`, the items that the options have shown. The daemon is asked for other items only
    /// if these lack a field. Without a reply it prints no warning.
    func printWarnings(shown: Snapshot) async {
        let shown = shown.contents
        var missing: [NamedField] = []
        for field in fields {
            var values = shown.values(at: field.path)
            if values.isEmpty { values = await contents(with: field.path).values(at: field.path) }
            if values.isEmpty {
                missing.append(field)
            } else if let words = Self.numberWords(field, values) {
                printMessage(words)
            }
        }
        if missing.isEmpty { return }
        let names = FieldCheck.paths(of: await contents(meeting: nil) + shown)
        if names.isEmpty { return }
        for field in missing {
            if field.use == .absent,
                nearestName(to: field.path.name, among: names.map { String($0.dropFirst()) }) == nil
            {
                continue
            }
            printMessage(
                FieldCheck.complaint(
                    "no item of \(list) has", field.path.description, InputMessage(field.option), among: names,
                    of: "list"
                ).description)
        }
    }

    static func numberWords(_ field: NamedField, _ values: [JSONReader]) -> String? {
        if field.use == .truth, let value = values.first(where: \.isTextForFalse) { return falseWords(field, value) }
        let values = values.filter { !$0.isNull }
        guard let first = values.first, values.allSatisfy(\.isString) else { return nil }
        let name = field.path.description
        guard values.allSatisfy(\.isNumericText) else {
            guard field.use == .comparedWithNumber else { return nil }
            return
                "\(name) is a string in every item, such as \(first.json), so no comparison with a number matches: store only "
                + "the number"
        }
        switch field.use {
        case .comparedWithNumber:
            return
                "\(name) is a string in every item, so no comparison with a number matches: store numbers, for example with "
                + "apply --numbers"
        case .sorted:
            let texts = values.map(\.plainText)
            guard texts.sorted() != texts.sorted(by: { Double($0) ?? 0 < Double($1) ?? 0 }) else { return nil }
            return
                "\(name) is a string in every item, so 9 comes after 10: --sort '#\(name)' sorts by numbers ('-#\(name)' in "
                + "descending order). To store numbers, use apply --numbers"
        case .shown, .absent, .truth, .compared, .sortedByNumber: return nil
        }
    }

    /// The advice for a string that is true because it is not empty, although it reads as false.
    private static func falseWords(_ field: NamedField, _ value: JSONReader) -> String {
        "\(field.path) is the string \(value.json) in some items, and a string that is not empty is true: use "
            + "\(field.option) '\(field.path)=true' to select only the items where it is true"
    }

    /// Refuses to change items because a text such as "false" in them is true.
    static func refuseTextForFalse(_ fields: [NamedField], in items: [Item]) throws {
        for field in fields where field.use == .truth {
            for item in items {
                guard let value = item.content.flatMap({ JSONReader($0).value(at: field.path) }), value.isTextForFalse
                else { continue }
                throw CommandError(
                    .refused,
                    "\(field.path) of \(quoted(item.id)) is the string \(value.json), which is true because it is not empty; "
                        + "nothing was changed. Use --where '\(field.path)=true' for the items where it is true, or --where "
                        + "'\(field.path)?' for all items that have it")
            }
        }
    }

    private static let sampleMax = 200

    private func contents(with path: FieldPath) async -> [Content] {
        await contents(meeting: .object([("path", .string(path.pointer.utf8)), ("exists", .true)]))
    }

    private func contents(meeting condition: Content?) async -> [Content] {
        let window = Content.object([("limit", .number(Self.sampleMax))])
        let view = Content.object((condition.map { [("where", $0)] } ?? []) + [("window", window)])
        guard let view = try? ListView(json: view.description) else { return [] }
        let options = ListOptions(view: view)
        guard let revision else { return (try? await connection.state(of: list, options))?.snapshot.contents ?? [] }
        return (try? await connection.state(of: list, at: revision, options))?.snapshot.contents ?? []
    }
}

extension Snapshot {
    fileprivate var contents: [Content] { ItemRow.all(of: self).compactMap(\.item.content) }
}

extension [Content] {
    fileprivate func values(at path: FieldPath) -> [JSONReader] {
        compactMap { JSONReader($0).value(at: path) }
    }
}

extension JSONReader {
    fileprivate var isTextForFalse: Bool {
        isString && ["false", "no", "off", "0", "null"].contains(plainText.lowercased())
    }

    fileprivate var isNumericText: Bool {
        isString && (Content.parsed(plainText).map { JSONReader($0).isNumber } ?? false)
    }
}
