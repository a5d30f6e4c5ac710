import ArgumentParser
import Diffable
import DiffableClient
import DiffableInput

struct Reorder: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Sort items by a list of ids.",
        discussion: """
            The input has an id on each line. The named items come first, in this order, each among its siblings. The \
            others follow in their old order. No item is added, deleted or moved to another parent or section.
              diffablectl show tasks -o ids --sort .due | diffablectl reorder tasks -
            """)

    @Argument(help: "The list.", completion: .lists, transform: listName) var list: ListName
    @Argument(help: "The file to read. Default: - (standard input).") var file: String?
    @OptionGroup var options: ChangeOptions

    func run() async throws {
        let order = try IDOrder(
            reading: try await inputBytes(of: file, "the ids in their order", within: options.daemon.inputLimit))
        try await options.transact(list) { try order.applied(to: $0, of: list) }
    }
}

struct IDOrder {
    private var ranks: [ItemID: Int] = [:]

    init(reading bytes: [UInt8]) throws(InputError) {
        for (line, text) in TextLines(try checkedText(bytes)) {
            let id: ItemID
            do throws(IdentifierError) { id = try ItemID(String(decoding: text, as: UTF8.self)) } catch {
                throw InputError(line: line, "an item's id \(error)")
            }
            if let other = ranks.updateValue(line, forKey: id) {
                throw InputError(
                    line: line, "the id \(quoted(id)) is on line \(other) too; delete one of the two lines")
            }
        }
        if ranks.isEmpty { throw InputError("the input is empty; write an id on each line") }
    }

    func applied(to snapshot: Snapshot, of list: ListName) throws -> Snapshot {
        if let unknown = ranks.keys.filter({ !snapshot.contains($0) }).min(by: { (ranks[$0] ?? 0) < (ranks[$1] ?? 0) })
        {
            throw CommandError(
                .notFound,
                "the list \(quoted(list)) has no item \(quoted(unknown)); nothing was changed. Leave this id out of the input"
            )
        }
        return try Snapshot(
            snapshot.sections.map { section in
                var section = section
                section.items = ordered(section.items)
                return section
            }, content: .some(snapshot.content), limits: .none)
    }

    private func ordered(_ items: [Item]) -> [Item] {
        let named = items.filter { ranks[$0.id] != nil }.sorted { (ranks[$0.id] ?? 0) < (ranks[$1.id] ?? 0) }
        return (named + items.filter { ranks[$0.id] == nil }).map { item in
            var item = item
            if !item.children.isEmpty { item.children = ordered(item.children) }
            return item
        }
    }
}
