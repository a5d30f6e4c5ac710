import Diffable
import DiffableInput

/// Does the same to several lists, one after the other. When one of them fails, the lists before it stay as they are now,
/// and those behind it as they were; so who looks on hears which these are.
///
/// - Parameter verb: what was done to those before, such as `deleted`.
func forEach(_ lists: [ListName], _ verb: String, _ body: (ListName) async throws -> Void) async throws {
    for (index, list) in lists.enumerated() {
        do { try await body(list) } catch {
            if lists.count > 1 {
                let done = lists[..<index].map(quoted).joined(separator: ", ")
                let left = lists[index...].map(quoted).joined(separator: ", ")
                say(done.isEmpty ? "none of the lists was \(verb)" : "\(verb): \(done); not \(verb): \(left)")
            }
            throw error
        }
    }
}
