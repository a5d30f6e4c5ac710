import Diffable
import DiffableProtocol
import Synchronization

extension Client {
    /// Follows a list as the daemon's own lines, over any number of connections, until the list is deleted.
    ///
    /// - Parameter body: gets the lines of one update, each with its line feed; nothing of an incomplete update. While it runs
    ///   nothing is read, so a slow body gets fewer changes.
    package func lines(
        of list: ListName, options: ListOptions = ListOptions(), _ body: @escaping @Sendable ([UInt8]) -> Void
    ) async throws(ClientError) {
        let groups = Mutex(UpdateLines(ifAbsent: options.ifAbsent))
        while true {
            let connection = try await shared.acquire()
            defer { shared.release() }
            let (ends, end) = AsyncStream.makeStream(of: UpdateLines.End.self, bufferingPolicy: .bufferingOldest(1))
            let number: Int
            do throws(ClientError) {
                let since = groups.withLock { $0.resume() }
                number = try await connection.begin(list, since, options) { arrival in
                    let (lines, reason) = groups.withLock { $0.receive(arrival) }
                    if let lines {
                        self.shared.noteUse()
                        body(lines)
                    }
                    if let reason { end.yield(reason) }
                }
            } catch {
                guard error.isHealedByReconnecting else { throw error }
                shared.giveUp(connection)
                continue
            }
            switch await ends.first(where: { _ in true }) {
            case .listDeleted: return
            case .lost(.unintelligible(let what)): throw .unintelligible(what)
            case .lost(.subscriptionEnded(let refusal)): throw .subscriptionEnded(refusal)
            case .lost: shared.giveUp(connection)
            case nil:
                connection.endSoon(subscription: number)
                throw .cancelled
            }
        }
    }
}

private struct UpdateLines: Sendable {
    private let ifAbsent: AbsentList
    private var lines: [UInt8] = []
    private var epoch = ""
    private var since: Request.Subscribe.Since?

    init(ifAbsent: AbsentList) { self.ifAbsent = ifAbsent }

    enum End: Sendable {
        case listDeleted
        case lost(ClientError)
    }

    /// Prepares for another connection, which continues from the last complete update.
    mutating func resume() -> Request.Subscribe.Since? {
        lines = []
        return since
    }

    mutating func receive(_ arrival: MessageRouter.Arrival) -> (lines: [UInt8]?, end: End?) {
        switch arrival {
        case .end(let reason): return (nil, .lost(reason))
        case .viewSet, .viewRefused: return (nil, nil)
        case .notification(let message, let line):
            lines += line
            lines.append(UInt8(ascii: "\n"))
            switch message {
            case .reset(let reset):
                epoch = reset.epoch
                return (group(reset.part, reset.revision), nil)
            case .changes(let changes): return (group(changes.part, changes.revision), nil)
            case .snapshot(let snapshot):
                epoch = snapshot.epoch
                return (group(.last, snapshot.revision), nil)
            case .patch(let patch): return (group(.last, patch.revision), nil)
            case .listDeleted:
                defer { lines = [] }
                return (lines, ifAbsent == .isError ? .listDeleted : nil)
            case .subscriptionEnded(_, _, let reason, let message):
                lines = []
                let refusal = Refusal(.init(rawValue: reason), message)
                return (line + [UInt8(ascii: "\n")], .lost(.subscriptionEnded(refusal)))
            case .bookmark, .listsChanged, .result, .failure, .request, .requestCancelled, .handlerEnded, .other:
                lines = []
                return (nil, nil)
            }
        }
    }

    private mutating func group(_ part: Request.Part, _ revision: Int) -> [UInt8]? {
        guard part == .last else { return nil }
        since = .init(epoch: epoch, revision: revision)
        defer { lines = [] }
        return lines
    }
}
