import Diffable
import DiffableClient
import DiffableInput

/// Does the same to several lists, one after the other. If one of them fails, the earlier lists stay changed and the later ones
/// unchanged, so the error names both. `verb` is the word for the change, such as `deleted`.
func forEach(_ lists: [ListName], _ verb: String, _ body: (ListName) async throws -> Void) async throws {
    for (index, list) in lists.enumerated() {
        do { try await body(list) } catch {
            if lists.count > 1 {
                let done = lists[..<index].map(quoted).joined(separator: ", ")
                // After a lost connection, the change of this list may have been made.
                let isOpen = (error as? ClientError)?.leavesOutcomeOpen ?? false
                let left = lists[(isOpen ? index + 1 : index)...].map(quoted).joined(separator: ", ")
                let parts: [String?] = [
                    done.isEmpty ? nil : "\(verb): \(done)", isOpen ? "perhaps \(verb): \(quoted(list))" : nil,
                    left.isEmpty ? nil : "not \(verb): \(left)",
                ]
                printMessage(parts.compactMap(\.self).joined(separator: "; "))
            }
            throw error
        }
    }
}
