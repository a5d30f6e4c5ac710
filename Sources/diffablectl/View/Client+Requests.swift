import Diffable
import DiffableClient
import DiffableJSON
import DiffableView
import Glibc

extension Client {
    /// Sends a viewer's request, now or not at all: without a connection, nothing is queued. Also returns the revision with all
    /// effects of the request, if the daemon reports one.
    func result(
        of request: ViewerRequest.Kind, _ list: ListName
    ) async -> (result: ViewerReply.Result, revision: Int?) {
        do {
            switch request {
            case .transact(let json):
                let operations = try Array(json.utf8).withUnsafeBytes { try OperationsText(json: $0) }
                let outcome = try await withConnection(patience: .zero) { try await $0.transact(list, operations) }
                return (.done(revision: outcome.changed ? outcome.revision : nil), outcome.revision)
            case .propose(let json):
                let operations = try Array(json.utf8).withUnsafeBytes { try OperationsText(json: $0) }
                let outcome = try await withConnection(patience: .zero) { try await $0.propose(list, operations) }
                return (.done(revision: outcome.changed ? outcome.revision : nil), outcome.revision)
            case .undo(let restored, let revision), .redo(let restored, let revision):
                let outcome = try await withConnection(patience: .zero) {
                    try await $0.undo(list, to: restored, ifRevision: revision)
                }
                return (.done(revision: outcome.revision), outcome.revision)
            case .perform(let action, let items, let section, let arguments):
                let target: ActionTarget = section.map { .section($0) } ?? (items.isEmpty ? .list : .items(items))
                let result = try await perform(
                    list, ActionName(action), on: target,
                    arguments: try arguments.map { try Content(json: $0) }, patience: .zero)
                return (.done(revision: nil, answer: result.result?.text), result.revision)
            case .expand(let item):
                let revision = try await expand(list, item, patience: .zero)
                return (.done(revision: nil), revision)
            }
        } catch let error as ClientError {
            return (.refused(error.sentence), nil)
        } catch {
            return (.refused("\(error)"), nil)
        }
    }

    /// Returns the revision that the handler made for a request. Nil unless all changes since the request come from one
    /// process. `newest` is the revision in the reply.
    func handlersRevision(for request: ViewerRequest, _ list: ListName, _ newest: Int) async -> Int? {
        let sent = request.revision
        switch request.kind {
        case .perform, .expand: break
        case .transact, .propose, .undo, .redo: return nil
        }
        guard newest > sent, newest - sent <= Self.handlersChangesMax else { return nil }
        let history = try? await withConnection(patience: .zero) {
            try await $0.history(of: list, limit: 2 * Self.handlersChangesMax)
        }
        let changes = history?.transactions.filter { $0.revision > sent && $0.revision <= newest } ?? []
        guard changes.count == newest - sent, let process = changes.first?.processID, process != Int(getpid()),
            changes.allSatisfy({ $0.processID == process })
        else { return nil }
        return newest
    }

    private static let handlersChangesMax = 100

    /// The newest revision of a list by a process; nil if it is unknown.
    func newestRevision(of list: ListName, madeBy processID: pid_t) async -> Int? {
        let history = try? await withConnection(patience: .zero) { try await $0.history(of: list, limit: 100) }
        return history?.transactions.first { $0.processID == Int(processID) }?.revision
    }
}

extension Content {
    fileprivate var text: String? {
        if case .text(let text) = ContentValue(self) { text } else { nil }
    }
}
