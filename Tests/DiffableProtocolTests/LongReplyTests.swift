import Diffable
import DiffableJSON
import DiffableProtocol
import Testing

/// Replies with many names, which the daemon writes page by page.
struct LongReplyTests {
    private static let actions: [ActionName] = (0..<300).map { .numbered($0, "action with a long name") }

    private static let lists = (0..<200).map { number in
        Reply.ListSummary(
            list: .numbered(number, "list"), epoch: "e", revision: number, numberOfSections: 2, numberOfItems: 3,
            access: .init(list: .numbered(number, "list"), owner: 1_000, group: 1_000, mode: .ownerOnly),
            durability: .volatile, handles: [.perform], actions: number == 7 ? actions : nil)
    }

    private static let replies: [Reply] = [
        .lists(lists),
        .lists(
            lists.map { list in
                var list = list
                list.actions = nil
                return list
            }),
        .lists([]), .clients([]),
        .deletedLists(
            lists.map { Reply.DeletedList(summary: $0, time: 1, name: "n", processID: 2, userID: 3) }),
        .clients([
            Reply.Client(
                number: 1, name: "bar", processID: 2, userID: 3, connectedSeconds: 4, traffic: Reply.Traffic(),
                pendingBytes: 6,
                subscriptions: (0..<300).map {
                    .init(subscription: $0, list: "tasks", behind: nil, deliveries: 8, bytesSent: 9)
                },
                handlers: (0..<300).map {
                    .init(handler: $0, list: "tasks", requests: [.perform], actions: nil, pendingRequests: 0)
                })
        ]),
        .history(
            Reply.History(
                start: .init(list: "tasks", epoch: "e", revision: 400), oldest: 1,
                revisions: (0..<400).map { .init(revision: $0, time: 1, numberOfOperations: 2, name: "n") },
                schemaChanges: [.init(revision: 1, time: 2, numberOfKinds: 3)])),
    ]

    @Test(arguments: replies.indices, [1, 100, 4_096, 1 << 20])
    func `the pages together are the line that is written at once`(index: Int, limit: Int) throws {
        let reply = Self.replies[index]
        var whole = ByteWriter()
        reply.write(id: .number(7), into: &whole)
        var rest = try #require(LongReplyWriter(reply, id: .number(7)))
        var pages: [[UInt8]] = []
        while true {
            var page = ByteWriter()
            let progress = rest.write(into: &page, upTo: limit)
            pages.append(page.bytes)
            // A page exceeds the limit by at most one part, and all parts here are short.
            #expect(page.count > 0 && page.count < limit + 500)
            if progress == .done { break }
        }
        #expect(Array(pages.joined()) == whole.bytes)
        #expect(pages.count >= whole.count / (limit + 500))
    }

    @Test func `a reply with a bound, and a reply that nobody awaits, have no pages`() {
        #expect(LongReplyWriter(.ping, id: .number(1)) == nil)
        #expect(LongReplyWriter(.lists([]), id: .absent) == nil)
    }
}

extension Identifier {
    fileprivate static func numbered(_ number: Int, _ word: String) -> Self {
        guard let name = try? Self("\(word) \(number)") else { preconditionFailure("a word is a name") }
        return name
    }
}
