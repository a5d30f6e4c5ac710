import Diffable
import DiffableJSON

// A field that an option names and no row has is a mistake in the option. If it counted as empty it would clear all items.

extension Arrangement.Fields {
    /// The fields, each with the option that names it.
    private var named: [(option: String, field: FieldPath)] {
        [("--id", id), ("--section", section), ("--parent", parent), ("--text", text)]
            .compactMap { option, field in field.map { (option, $0) } }
    }

    /// Throws for a field that is not a column of the table.
    func check(columns: [String]) throws(InputError) {
        for (option, field) in named where !columns.contains(field.name) {
            throw InputError(FieldCheck.complaint("there is no column", field.name, option, among: columns))
        }
    }

    /// Throws for a field that no row has. O(rows) if the first rows lack it.
    func check(rows: [Row]) throws(InputError) {
        if rows.isEmpty { return }
        for (option, field) in named where !rows.contains(where: { $0.has(field) }) {
            let names = FieldCheck.names(of: rows.filter { $0.id == nil }.map(\.content)).map { ".\($0)" }
            throw InputError(FieldCheck.complaint("no row has", field.description, option, among: names))
        }
    }
}

extension Row {
    /// A line, or a bare string of JSON, has no fields.
    fileprivate func has(_ field: FieldPath) -> Bool { id == nil && JSONView(content).value(at: field) != nil }
}

package enum FieldCheck {
    private static let namesShownMax = 20

    package static func complaint(_ problem: String, _ name: String, _ option: String, among names: [String]) -> String
    {
        let nearest = nearestName(to: name, among: names).map { "; did you mean \(unmistakable($0))?" } ?? "."
        guard !names.isEmpty else { return "\(problem) \(unmistakable(name)), which \(option) names: there are none" }
        let shown = names.prefix(namesShownMax).map(unmistakable).joined(separator: ", ")
        return "\(problem) \(unmistakable(name)), which \(option) names\(nearest) "
            + "There are \(shown)\(names.count > namesShownMax ? " and others" : "")"
    }

    /// The name, in quotation marks if it would look like two names, as the column `IMAGE ID` does.
    package static func unmistakable(_ name: String) -> String {
        name.contains { $0.isWhitespace || $0 == "," } ? name.debugDescription : name
    }

    /// The fields in the order in which they first appear. Fields of inner objects are paths (`owner.name`).
    package static func names(of contents: some Sequence<Content>) -> [String] {
        var names: [String] = []
        var known: Set<String> = []
        for content in contents {
            for (name, value) in JSONView(content).members {
                for path in [name] + value.memberNames.map({ "\(name).\($0)" }) where known.insert(path).inserted {
                    names.append(path)
                }
            }
        }
        return names
    }
}
