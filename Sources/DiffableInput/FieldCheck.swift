import Diffable
import DiffableJSON

// A field that an option names and no row has is a mistake in the option. If it counted as empty, all items would lose
// their texts, sections or parents.

extension ItemBuilder.Fields {
    private var named: [(setting: InputMessage, field: FieldPath)] {
        let fields: [(InputMessage, FieldPath?)] = [
            ("\(.id)", id), ("\(.section)", section), ("\(.parent)", parent), ("\(.text)", text),
        ]
        return fields.compactMap { setting, field in field.map { (setting, $0) } }
    }

    func check(columns: [String]) throws(InputError) {
        for (setting, field) in named where !columns.contains(field.name) {
            throw InputError(
                FieldCheck.complaint(
                    "there is no column", field.name, setting, among: columns.map { FieldPath.naming($0) }))
        }
    }

    /// Throws for a field that no row has. O(rows) if the first rows lack it.
    func check(rows: [Row]) throws(InputError) {
        if rows.isEmpty { return }
        for (setting, field) in named where !rows.contains(where: { $0.has(field) }) {
            let names = FieldCheck.paths(of: rows.filter { $0.id == nil }.map(\.content))
            throw InputError(FieldCheck.complaint("no row has the field", field.description, setting, among: names))
        }
    }
}

extension Row {
    /// A line, or a bare string of JSON, has no fields.
    fileprivate func has(_ field: FieldPath) -> Bool { id == nil && JSONReader(content).value(ofRow: field) != nil }
}

package enum FieldCheck {
    private static let namesShownMax = 20

    /// `setting` names the field; `place` should have it: the input, or the list.
    package static func complaint(
        _ problem: String, _ name: String, _ setting: InputMessage, among names: [String], of place: String = "input"
    ) -> InputMessage {
        let nearest = nearestName(to: name, among: names).map { "; did you mean \(shellQuoted($0))?" } ?? "."
        guard !names.isEmpty else {
            return "\(problem) \(shellQuoted(name)), which \(setting) names: the \(place) has none"
        }
        let shown = names.prefix(namesShownMax).map(shellQuoted).joined(separator: ", ")
        return "\(problem) \(shellQuoted(name)), which \(setting) names\(nearest) "
            + "The \(place) has \(shown)\(names.count > namesShownMax ? " and others" : "")"
    }

    /// A name or a path as a user types it in a shell: quoted if the shell or a reader could misread it, such as the column
    /// `IMAGE ID`.
    package static func shellQuoted(_ text: String) -> String {
        if text.contains(where: { $0.isNewline || $0.unicodeScalars.contains { $0.value < 0x20 } }) {
            return text.debugDescription
        }
        if !text.isEmpty, text.first != "#",
            text.allSatisfy({ $0.isLetter || $0.isNumber || "_%./+@:-^=#".contains($0) })
        {
            return text
        }
        if !text.contains(where: { "\"\\$`!".contains($0) }) { return "\"\(text)\"" }
        return "'\(text.replacing("'", with: "'\\''"))'"
    }

    /// The paths to the fields, in the order of their first appearance, and to the fields of inner objects (`.owner.name`).
    package static func paths(of contents: some Sequence<Content>) -> [String] {
        var paths: [String] = []
        var known: Set<String> = []
        for content in contents {
            for (name, value) in JSONReader(content).members {
                for path in [FieldPath.path(to: name)] + value.memberNames.map({ FieldPath.path(to: name, $0) })
                where known.insert(path).inserted {
                    paths.append(path)
                }
            }
        }
        return paths
    }
}
