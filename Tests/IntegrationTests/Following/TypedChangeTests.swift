import Diffable
import DiffableClient
import Foundation
import Testing

extension Integration {
    struct TypedChangeTests {
        private struct Todo: Codable, Sendable, Equatable {
            var text: String
            var due: Date?
        }

        private struct Heading: Codable, Equatable { var title: String }

        private let server: TestServer
        private let client: Client

        init() async throws {
            server = try TestServer()
            client = Client(socket: SocketPath(server.socket))
            try await client.ensureList("tasks", durability: .volatile)
        }

        private func state() async throws -> ListState {
            try await client.withConnection { try await $0.state(of: "tasks") }
        }

        private func next<Value>(_ updates: ListUpdates<Value>) async throws -> ListUpdate<Value> {
            for try await update in updates { return update }
            throw Failure("the list was deleted")
        }

        /// Fills the list with an outline, kinds, an expanded item, an item without content, and a section with content.
        private func fill() async throws {
            let bread = try Item(
                "bread", kind: "todo", encoding: Todo(text: "Bread", due: Date(timeIntervalSince1970: 0)))
            let shop = try Item("shop", encoding: Todo(text: "Shop"), isExpanded: true, children: [bread])
            try await client.apply(
                "tasks",
                [
                    try Section("today", encoding: Heading(title: "Today"), items: [shop, Item(id: "empty")]),
                    Diffable.Section(id: "later"),
                ], content: .some(try Content(json: #"{"title":"Tasks"}"#)))
        }

        @Test func `what is read as typed sections goes back as it was`() async throws {
            try await fill()
            let before = try await state()
            let update = try await next(client.list("tasks", as: Todo?.self))
            let outcome = try await client.apply("tasks", update.snapshot.sections, ifRevision: update.revision)
            #expect(!outcome.changed)
            #expect(try await state().snapshot == before.snapshot)
            for index in 0..<2 {
                let section = try #require(update.snapshot.section(at: index))
                try await client.apply("tasks", items: section.items, inSection: section.id)
            }
            let after = try await state()
            #expect(after.revision == before.revision && after.snapshot == before.snapshot)
        }

        @Test func `what is read without a type goes back as it was`() async throws {
            try await fill()
            let before = try await state()
            let update = try await next(client.list("tasks"))
            try await client.apply("tasks", update.snapshot.sections)
            let section = try #require(update.snapshot.section(at: 0))
            try await client.apply("tasks", items: section.items, inSection: "today")
            let after = try await state()
            #expect(after.revision == before.revision && after.snapshot == before.snapshot)
        }

        @Test func `a change to typed sections changes nothing else`() async throws {
            try await fill()
            let update = try await next(client.list("tasks", as: Todo?.self))
            var sections = update.snapshot.sections
            sections[0].items[0].children[0].content?.text = "Rye bread"
            sections[0].items[0].children.append(ListItem(id: "milk", content: Todo(text: "Milk")))
            sections[1].items.append(ListItem(id: "tea", kind: "todo", content: Todo(text: "Tea")))
            try await client.apply("tasks", sections, ifRevision: update.revision)
            let after = try await state().snapshot
            let before = update.snapshot.untyped
            let operations = after.difference(from: before)
            #expect(operations.count == 3, "\(operations)")
            #expect(after.children(of: "shop") == ["bread", "milk"] && after.isExpanded("shop") == true)
            #expect(try after.item("bread")?.content?.decoded(as: Todo.self).text == "Rye bread")
            #expect(after.item("bread")?.kind == "todo" && after.item("empty")?.content == nil)
            #expect(after.rootItems(inSection: "later") == ["tea"] && after.content == before.content)
        }

        @Test func `a list that is made of typed sections is read as them`() async throws {
            try await client.apply(
                "tasks",
                [
                    try ListSection(
                        "today", encoding: Heading(title: "Today"),
                        items: [
                            ListItem(
                                id: "shop", content: Todo(text: "Shop"),
                                children: [ListItem(id: "milk", content: Todo(text: "Milk"))])
                        ]), ListSection(id: "later"),
                ])
            let snapshot = try await next(client.list("tasks", as: Todo.self)).snapshot
            #expect(try snapshot.section(at: 0)?.content?.decoded(as: Heading.self) == Heading(title: "Today"))
            #expect(snapshot.sections.map(\.id) == ["today", "later"])
            #expect(snapshot["shop"]?.children.map(\.content) == [Todo(text: "Milk")])
            // An empty literal still empties the list.
            try await client.apply("tasks", [])
            #expect(try await state().snapshot.isEmpty)
        }

        @Test func `an item that does not say whether it is expanded keeps what the list has`() async throws {
            try await fill()
            func shop(_ isExpanded: Bool?) -> [ListItem<Todo>] {
                let child = ListItem(id: "bread", content: Todo(text: "Bread"))
                return [ListItem(id: "shop", content: Todo(text: "Shop"), isExpanded: isExpanded, children: [child])]
            }
            try await client.apply("tasks", items: shop(nil), inSection: "today")
            #expect(try await state().snapshot.isExpanded("shop") == true)
            try await client.apply("tasks", items: shop(false), inSection: "today")
            #expect(try await state().snapshot.isExpanded("shop") == false)
        }

        @Test func `typed states of a sequence are published, and a section of them`() async throws {
            func sequence<State: Sendable>(_ state: State) -> AsyncStream<State> {
                AsyncStream { continuation in
                    continuation.yield(state)
                    continuation.finish()
                }
            }
            let milk = ListItem(id: "milk", content: Todo(text: "Milk"))
            try await client.publish("tasks", from: sequence([ListSection(id: "today", items: [milk])]))
            let tea = ListItem(id: "tea", content: Todo(text: "Tea"))
            try await client.publish("tasks", inSection: "later", from: sequence([tea]))
            let snapshot = try await next(client.list("tasks", as: Todo.self)).snapshot
            #expect(snapshot.sections.map(\.id) == ["today", "later"])
            #expect(snapshot["milk"]?.content.text == "Milk" && snapshot["tea"]?.content.text == "Tea")
        }

        @Test func `a patch of encoded members keeps all others`() async throws {
            struct Change: Encodable {
                var text: String?
                var done: Bool?
            }

            try await fill()
            try await client.transact(
                "tasks",
                [
                    .patchItems([try ItemPatch(id: "bread", encoding: Change(done: true))]),
                    .patchList(try ListPatch(encoding: Change(done: false))),
                ])
            let snapshot = try await state().snapshot
            let bread = try #require(try snapshot.item("bread")?.content?.decoded(as: Todo.self))
            #expect(
                bread.text == "Bread" && snapshot.item("bread")?.content?.description.contains(#""done":true"#) == true)
            #expect(snapshot.content?.description.contains(#""title":"Tasks""#) == true)
            #expect(snapshot.content?.description.contains(#""done":false"#) == true)
        }

        @Test func `an encoder is the counterpart of the decoder`() async throws {
            let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
            encoder.dateEncodingStrategy = .iso8601
            decoder.dateDecodingStrategy = .iso8601
            let todo = Todo(text: "Bread", due: Date(timeIntervalSince1970: 0))
            let sections = [ListSection(id: "s", items: [ListItem(id: "bread", content: todo)])]
            try await client.apply("tasks", sections, encoder: encoder)
            let content = try await state().snapshot.item("bread")?.content
            #expect(content?.description == #"{"due":"1970-01-01T00:00:00Z","text":"Bread"}"#)
            let update = try await next(client.list("tasks", as: Todo.self, decoder: decoder))
            #expect(update.snapshot["bread"]?.content == todo)
        }

        @Test func `a value that cannot be JSON is refused with its item's id, and nothing is sent`() async throws {
            try await fill()
            let before = try await state()
            let child = ListItem(id: "deep", content: Double.nan)
            let items = [ListItem(id: "top", content: 1.5, children: [child])]
            for attempt in 0..<2 {
                let error = await #expect(throws: ClientError.self) { () async throws(ClientError) in
                    if attempt == 0 {
                        try await client.apply("tasks", [ListSection(id: "s", items: items)])
                    } else {
                        try await client.apply("tasks", items: items, inSection: "s")
                    }
                }
                guard let error, case .unencodable("deep", let reason) = error else {
                    throw Failure("\(String(describing: error))")
                }
                #expect(!reason.isEmpty && "\(error)".contains(#"the item "deep" cannot be encoded"#))
            }
            #expect(try await state().revision == before.revision)
        }
    }
}
