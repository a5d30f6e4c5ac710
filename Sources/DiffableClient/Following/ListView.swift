import DiffableJSON
import DiffableProtocol

/// What a follower sees of a list: filter, order, expansion and window. What enters or leaves a view is inserted or
/// deleted; index paths are those of the view.
///
///     let due = try ListView(json: #"{"where":{"path":"/done","equals":false},"sort":["/due"]}"#)
///     for try await update in client.list("tasks", as: Todo.self, options: ListOptions(view: due)) { … }
public struct ListView: Sendable {
    let view: View

    /// - Parameter json: as `docs/protocol.md` has it. What is wrong with it is thrown as the daemon would say it.
    public init(json: String) throws(ClientError) {
        let result = Array(json.utf8).withUnsafeBytes { text in
            Result { () throws(DecodingError) in try View(json: text) }
        }
        do { view = try result.get() } catch {
            throw .refused(Refusal(WireError(error, list: nil)))
        }
    }
}
