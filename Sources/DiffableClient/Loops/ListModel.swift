import Diffable
import Observation

/// A list for views that redraw when observed values change, such as SwiftUI's.
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
    /// The followed list; its view can be set at any time.
    public let list: ListUpdates<Value>
    /// The newest update; nil before the first. It has the snapshot and the changes.
    public private(set) var update: ListUpdate<Value>?
    /// The error that ended `follow`, if a retry is useless.
    public private(set) var error: ClientError?

    /// Creates a model that does not follow the list yet.
    public init(_ list: ListUpdates<Value>) { self.list = list }

    /// The sections with their items; empty before the first update. O(sections).
    public var sections: [ListSection<Value>] { update?.snapshot.sections ?? [] }

    /// Follows the list until it is deleted, the task is cancelled, or there is an `error`. The last state stays.
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
