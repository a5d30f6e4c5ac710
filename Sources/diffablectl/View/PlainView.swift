import Diffable
import DiffableClient
import DiffableView

/// Lists as lines, for users without a redrawn screen: first each list in full, as the viewer draws its rows, then a line for
/// each change.
struct PlainView: Sendable {
    let lists: [ListName]
    let options: ViewerOptions
    let client: Client

    func run() async throws {
        var listOptions = ListOptions()
        listOptions.view = try ListView(json: options.filter.json)
        let errors = try await withThrowingTaskGroup(of: ClientError?.self) { [listOptions] group in
            for list in lists {
                group.addTask {
                    do {
                        for try await update in client.list(list, options: listOptions) { write(update) }
                        printMessage("\(list) was deleted or renamed")
                        return nil
                    } catch {
                        guard lists.count > 1, let error = error as? ClientError, case .subscriptionEnded = error else {
                            throw error
                        }
                        printMessage(error.sentence)
                        return error
                    }
                }
            }
            var errors: [ClientError] = []
            for try await error in group { errors += [error].compactMap(\.self) }
            return errors
        }
        if let error = errors.first { throw error }
    }

    static func write(_ snapshot: Snapshot, _ options: ViewerOptions) {
        var output = StandardOutput()
        for line in PlainText.lines(
            of: snapshot, options, columns: Terminal.standardOutput.width ?? 80, at: wallTime())
        {
            output.plainLine(line)
        }
        output.flush()
    }

    private func write(_ update: ListUpdate<Content?>) {
        if update.cause == .initial { return Self.write(update.snapshot.untyped, options) }
        var output = StandardOutput()
        let heading = lists.count > 1 ? "\(update.list) " : ""
        let changes = ChangeLines(
            update.difference, from: update.previous.untyped, to: update.snapshot.untyped, on: .plain)
        for line in changes.lines { output.plainLine(heading + line) }
        output.flush()
    }
}
