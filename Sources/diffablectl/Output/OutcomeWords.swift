import Diffable
import DiffableClient
import DiffableInput

/// The result of a transaction in one line: `tasks revision 7: 2 items inserted, 1 moved`.
enum OutcomeWords {
    static func line(_ outcome: Outcome) -> String {
        // A user without permission to see the list gets no details.
        if outcome.revision == 0 { return "\(outcome.list): accepted" }
        let heading = "\(outcome.list) revision \(outcome.revision)"
        let parts = outcome.summary.map(parts) ?? []
        return parts.isEmpty ? heading : "\(heading): \(parts.joined(separator: ", "))"
    }

    static func parts(_ summary: DifferenceSummary) -> [String] {
        counts(
            "item",
            [
                (summary.insertedItems, "inserted"), (summary.deletedItems, "deleted"), (summary.movedItems, "moved"),
                (summary.reconfiguredItems, "changed"), (summary.reloadedItems, "reloaded"),
                (summary.expandedItems, "expanded"), (summary.collapsedItems, "collapsed"),
            ])
            + counts(
                "section",
                [
                    (summary.insertedSections, "inserted"), (summary.deletedSections, "deleted"),
                    (summary.movedSections, "moved"), (summary.reloadedSections, "changed"),
                ])
            + (summary.reconfiguredList > 0 ? ["the list's own content changed"] : [])
    }

    private static func counts(_ noun: String, _ counts: [(Int, String)]) -> [String] {
        counts.filter { $0.0 > 0 }.enumerated().map { position, count in
            position == 0 ? "\(counted(count.0, noun)) \(count.1)" : "\(grouped(count.0)) \(count.1)"
        }
    }
}
