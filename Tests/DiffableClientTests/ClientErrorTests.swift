import Diffable
import DiffableJSON
import Foundation
import Testing

@testable import DiffableClient

/// Messages of the library, which must not name options of a program.
struct ClientErrorTests {
    @Test func `an error names what the program can do, and no option of diffablectl`() {
        let path = SocketPath("/run/d.sock")
        for error: ClientError in [
            .noSocket(lookedAt: ["/a", "/b"]), .noConnection(path, reason: "refused"), .noPermission(path),
            .untrustedSocket(path, objection: "it is a stranger's"),
        ] {
            let advice = error.description.replacing("`diffabled --socket /run/d.sock`", with: "")
            #expect(!advice.contains("--") && advice.contains("Client(socket:)"), "\(error)")
        }
    }

    @Test func `what a draft refuses is said in a sentence that names the id and the remedy`() throws {
        var draft = SnapshotDraft(try Snapshot([Diffable.Section(id: "s", items: [Item(id: "milk")])]))
        func words(_ change: (inout SnapshotDraft) throws -> Void) -> String {
            do {
                try change(&draft)
                return "nothing was refused"
            } catch {
                return "\(error)"
            }
        }
        #expect(words { try $0.deleteItems(["eggs"]) }.hasPrefix(#"there is no item "eggs" in the list; "#))
        #expect(words { try $0.deleteSections(["t"]) }.hasPrefix(#"there is no section "t" in the list; "#))
        #expect(words { try $0.appendItems([Item(id: "milk")]) }.contains("move it, or delete it first"))
        #expect(words { try $0.moveItem("milk", afterItem: "milk") }.contains("because the same operation moves it"))
        let error = TransactionError(index: 3, reason: .noSuchItem("eggs"))
        #expect("\(error)".hasPrefix(#"operation 3: there is no item "eggs""#))
    }

    @Test func `the reason that a decoder gives ends in one full stop`() throws {
        struct Todo: Decodable { var due: Int }

        let item = Item(id: "milk", content: try Content(json: #"{"due":"soon"}"#))
        let error = #expect(throws: (any Error).self) { try item.decodedContent(as: Todo.self, by: JSONDecoder()) }
        let words = "\(UndecodableContent(of: "milk", in: "tasks", as: Todo.self, try #require(error)))"
        #expect(words.contains(" due: ") && words.contains(". Change the type") && !words.contains(".."), "\(words)")
    }
}
