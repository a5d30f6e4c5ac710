import ArgumentParser
import Diffable
import DiffableInput

/// An argument of `--sort`: a field. A preceding `-` sorts in descending order, `#` by numbers; both may appear in any order. A
/// field whose name begins with one of these marks is written as a path: `.#cpu` or `/#cpu`.
struct SortOption {
    let field: ItemField
    private(set) var isDescending = false
    /// Whether strings that read as JSON numbers count as numbers, as the strings of a table do.
    private(set) var isNumeric = false

    init(checking text: String) throws {
        var rest = text[...]
        while let mark = rest.first {
            if mark == "-", !isDescending {
                isDescending = true
            } else if mark == "#", !isNumeric {
                isNumeric = true
            } else {
                break
            }
            rest = rest.dropFirst()
        }
        field = try ItemField(checking: String(rest))
    }

    var json: Content {
        let path = Content.string(field.pointer.utf8)
        guard isDescending || isNumeric else { return path }
        return .object(
            [("path", path)] + (isDescending ? [("descending", .true)] : []) + (isNumeric ? [("numeric", .true)] : []))
    }
}
