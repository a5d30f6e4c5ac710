import Diffable
import DiffableClient
import DiffableInput
import DiffableJSON

/// Warns on standard error of fields that no item has, and of numbers that are texts. With both a command shows nothing, or
/// not what the user meant.
struct FieldAdvice {
    private let list: ListName
    private let fields: [NamedField]
    /// The revision; nil for the newest one.
    private let revision: Int?
    private let connection: Connection

    init(_ fields: [NamedField], of list: ListName, at revision: Int? = nil, over connection: Connection) {
        self.fields = fields
        self.list = list
        self.revision = revision
        self.connection = connection
    }

    /// - Parameter shown: the items that the options have shown. The daemon is asked for other items only if they lack a field.
    ///   If it cannot be asked there is no advice.
    func give(shown: Snapshot) async {
        let shown = shown.contents
        var missing: [NamedField] = []
        for field in fields {
            var values = shown.values(at: field.path)
            if values.isEmpty { values = await contents(with: field.path).values(at: field.path) }
            if values.isEmpty {
                missing.append(field)
            } else if let words = Self.numberWords(field, values) {
                say(words)
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
            say(
                FieldCheck.complaint(
                    "no item of \(list) has", field.path.description, field.option, among: names))
        }
    }

    /// The advice if all values are texts that read as numbers.
    static func numberWords(_ field: NamedField, _ values: [JSONView]) -> String? {
        if field.use == .truth, let value = values.first(where: \.isTextForFalse) { return falseWords(field, value) }
        let values = values.filter { !$0.isNull }
        guard !values.isEmpty, values.allSatisfy(\.isNumericText) else { return nil }
        let name = field.path.description
        switch field.use {
        case .comparedWithNumber:
            return
                "\(name) is a text in every item, which no number is compared with: apply makes numbers of the columns that "
                + "--numbers names"
        case .sorted:
            let texts = values.map(\.plainText)
            guard texts.sorted() != texts.sorted(by: { Double($0) ?? 0 < Double($1) ?? 0 }) else { return nil }
            return
                "\(name) is a text in every item, so 9 comes behind 10: --sort '#\(name)' sorts by numbers (-# from the "
                + "greatest), or apply makes numbers of the columns that --numbers names"
        case .shown, .absent, .truth, .compared, .sortedByNumber: return nil
        }
    }

    /// About a string that is true because it is not empty, and does not read so.
    private static func falseWords(_ field: NamedField, _ value: JSONView) -> String {
        "\(field.path) is the text \(value.json) in some items, and a text that is not empty is true: use "
            + "'\(field.path)=true' to compare it"
    }

    /// Refuses to change items because a text such as "false" in them is true.
    static func refuseTextForFalse(_ fields: [NamedField], in items: [Item]) throws {
        for field in fields where field.use == .truth {
            for item in items {
                guard let value = item.content.flatMap({ JSONView($0).value(at: field.path) }), value.isTextForFalse
                else { continue }
                throw CommandError(
                    .refused,
                    "\(field.path) of \(quoted(item.id)) is the text \(value.json), which is true because it is not empty; "
                        + "nothing was changed. Use '\(field.path)=true' for those that say true, or '\(field.path)?' for all "
                        + "that have it")
            }
        }
    }

    /// The number of rows from which the names of fields are collected.
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
    fileprivate func values(at path: FieldPath) -> [JSONView] {
        compactMap { JSONView($0).value(at: path) }
    }
}

extension JSONView {
    /// A text by which people mean false, as a table has it.
    fileprivate var isTextForFalse: Bool {
        isString && ["false", "no", "off", "0", "null"].contains(plainText.lowercased())
    }

    fileprivate var isNumericText: Bool {
        isString && (Content.parsed(plainText).map { JSONView($0).isNumber } ?? false)
    }
}
