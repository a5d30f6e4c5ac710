import Diffable
import DiffableJSON

@testable import DiffableStore

/// A request of a user.
struct UserRequest: Sendable {
    enum Wish: Sendable {
        /// Operations, as JSON.
        case change(String)
        case read(mostRecent: Bool)
    }

    var wish: Wish
    var key: String?
    var ifRevision: Int?
    /// Whether it was answered before.
    var isRepeated = false
    /// Whether it uses the user's lease, which only works on its own host.
    var isLeased = false

    init(_ wish: Wish, key: String? = nil) { (self.wish, self.key) = (wish, key) }
}

/// The result of a request.
enum UserAnswer: Sendable {
    case changed(revision: Int)
    case unchanged(revision: Int)
    case read(ListState)
    /// The error's name, and its revision.
    case refused(String, revision: Int?)
    /// The daemon ended or did not answer.
    case lost

    init(_ result: Result<Outcome, StoreError>) {
        switch result {
        case .success(let outcome):
            self = outcome.isChanged ? .changed(revision: outcome.revision) : .unchanged(revision: outcome.revision)
        case .failure(let error): self.init(error)
        }
    }

    init(_ result: Result<ListState, StoreError>) {
        switch result {
        case .success(let state): self = .read(state)
        case .failure(let error): self.init(error)
        }
    }

    /// Uses the names of `WireError`.
    private init(_ error: StoreError) {
        switch error {
        case .unreachable, .engineFull, .newestUnknown: self = .refused("unreachable", revision: nil)
        case .outcomeUnknown: self = .refused("outcomeUnknown", revision: nil)
        case .noSuchList: self = .refused("noSuchList", revision: nil)
        case .noSpace: self = .refused("noSpace", revision: nil)
        case .requestKeyReused: self = .refused("requestKeyReused", revision: nil)
        case .revisionMismatch(_, _, let current): self = .refused("revisionMismatch", revision: current)
        case .transaction(_, let error): self = .refused(Self.name(error.reason), revision: nil)
        default: self = .refused("\(error)", revision: nil)
        }
    }

    private static func name(_ reason: OperationError) -> String {
        switch reason {
        case .noSuchSection: "noSuchSection"
        case .noSuchItem: "noSuchItem"
        case .duplicateSection: "duplicateSection"
        case .duplicateItem: "duplicateItem"
        case .invalidItemAnchor, .invalidSectionAnchor: "invalidAnchor"
        case .ownDescendant: "ownDescendant"
        case .tooManyLevels, .tooManyItems, .contentTooLong, .listContentTooLong, .tooMuchPatched: "tooLarge"
        }
    }
}

/// One attempt of a request on one host, with its record.
///
/// Unchecked, because a world uses one thread.
final class UserAttempt: @unchecked Sendable {
    let number: Int
    let begin: Int
    private let request: UserRequest
    private let client: String
    private let host: Int
    var isOver = false
    /// Called with the first answer.
    var end: (UserAnswer) -> Void = { _ in }

    init(_ request: UserRequest, _ number: Int, _ client: String, _ host: Int, at begin: Int) {
        (self.request, self.number, self.client, self.host, self.begin) = (request, number, client, host, begin)
    }

    func record(_ answer: UserAnswer, at now: Int) -> String {
        var members =
            "\"id\":\(number),\"client\":\"\(client)\",\"host\":\(host),\"begin\":\(Records.time(begin)),"
            + "\"end\":\(Records.time(now)),"
        switch request.wish {
        case .change(let operations):
            members += "\"method\":\"transact\",\"params\":{\"list\":\"shared\",\"operations\":\(operations)"
            if let key = request.key { members += ",\"requestKey\":\"\(key)\"" }
            if let revision = request.ifRevision { members += ",\"ifRevision\":\(revision)" }
            members += "}"
        case .read(let mostRecent):
            let more = mostRecent ? ",\"mostRecent\":true" : ""
            members += "\"method\":\"snapshot\",\"params\":{\"list\":\"shared\"\(more)}"
        }
        return members + result(answer)
    }

    private func result(_ answer: UserAnswer) -> String {
        switch answer {
        case .changed(let revision):
            return ",\"result\":{\"list\":\"shared\",\"revision\":\(revision),\"changed\":true}"
        case .unchanged(let revision):
            return ",\"result\":{\"list\":\"shared\",\"revision\":\(revision),\"changed\":false}"
        case .refused(let name, let revision):
            let more = revision.map { ",\"revision\":\($0)" } ?? ""
            return ",\"error\":{\"code\":1,\"message\":\(Records.quoted(name)),"
                + "\"data\":{\"name\":\(Records.quoted(name)),\"list\":\"shared\"\(more)}}"
        case .read(let state):
            var writer = ByteWriter()
            writer.appendSnapshot(WholeList(sections: state.snapshot.sections), expansion: .canonical)
            let snapshot = String(decoding: writer.bytes, as: UTF8.self)
            return ",\"result\":{\"list\":\"shared\",\"epoch\":\"\(state.epoch)\",\"revision\":\(state.revision),"
                + "\"snapshot\":\(snapshot)}"
        case .lost: return ""
        }
    }
}
