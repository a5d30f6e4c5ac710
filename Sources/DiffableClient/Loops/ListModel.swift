import Diffable
import Observation

/// A list for views that draw themselves when what they have read changes, such as SwiftUI's.
///
///     @State private var tasks = ListModel(client.list("tasks", as: Todo.self))
///
///     var body: some View {
///         List(tasks.sections) { section in
///             ForEach(section.items) { Text($0.content.text) }
///         }
///         .task { await tasks.follow() }
///     }
@MainActor @Observable
public final class ListModel<Value: Sendable> {
    /// What is followed; its view can be set at any time.
    public let list: ListUpdates<Value>
    /// The newest update; nil before the first. It has the snapshot, and what became different.
    public private(set) var update: ListUpdate<Value>?
    /// Why it is followed no more, when trying again is of no use.
    public private(set) var error: ClientError?

    /// Follows nothing yet.
    public init(_ list: ListUpdates<Value>) { self.list = list }

    /// The sections with their items; none before the first update. O(sections).
    public var sections: [ListSection<Value>] { update?.snapshot.sections ?? [] }

    /// Follows the list until it is deleted, or the task is cancelled, or there is an `error`. What was seen last stays.
    public func follow() async {
        error = nil
        do {
            for try await update in list { self.update = update }
        } catch .cancelled {
        } catch {
            self.error = error
        }
    }
}
