import Diffable

/// `1 item`, `2 items`, `12,345 items`.
package func counted(_ count: Int, _ noun: String) -> String {
    "\(grouped(count)) \(noun)\(count == 1 ? "" : "s")"
}

package func grouped(_ number: Int) -> String {
    var digits = Array(String(number.magnitude))
    var position = digits.count - 3
    while position > 0 {
        digits.insert(",", at: position)
        position -= 3
    }
    return (number < 0 ? "-" : "") + String(digits)
}

package func quoted<Named>(_ id: Identifier<Named>) -> String { "\"\(id)\"" }
