import Foundation

/// Typical changes to rows: some are removed, added, changed or moved.
enum TableShuffle {
    /// - Parameter renaming: gives a row other contents under the same id.
    static func changed(
        _ rows: [String], _ renaming: (String) -> String
    ) -> [String] {
        var rows = rows
        rows.removeSubrange(10..<20)
        rows.remove(at: rows.count / 2)
        for position in stride(from: 5, to: rows.count, by: 97) {
            rows[position] = renaming(rows[position])
        }
        rows.append(rows.remove(at: 3))
        rows.insert(rows.remove(at: rows.count - 7), at: 0)
        rows.swapAt(rows.count / 3, rows.count / 4)
        let template = rows[0]
        if template.hasPrefix("{") {
            rows.insert(template.replacingOccurrences(of: "row-", with: "new-row-"), at: rows.count / 5)
        } else {
            rows.insert("new-\(template)", at: rows.count / 5)
        }
        return rows
    }
}
