import ArgumentParser
import Diffable
import DiffableClient
import DiffableInput

struct Move: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Move an item, or all that match a condition, with their children.",
        discussion: """
            --front, --back, --up and --down move an item among its siblings. With --section or --parent, --front \
            means the front of that section or parent. With --where, all matching items move to one place and keep \
            their order, and the command prints how many it moved.
              diffablectl move tasks milk --up
              diffablectl move tasks --where done --section archive
            """)

    @Argument(help: "The list.", completion: .lists, transform: listName) var list: ListName
    @Argument(help: "The item; leave it out with --where.", completion: .items, transform: itemID) var id: ItemID?
    @OptionGroup var place: MoveOptions
    @OptionGroup var matching: ConditionOptions
    @OptionGroup var preview: PreviewOptions
    @OptionGroup var options: ChangeOptions

    func validate() throws {
        guard (id == nil) != matching.isEmpty else {
            throw ValidationError(
                id == nil
                    ? "name the item to move, or select items with --where"
                    : "the item and --where both select what to move: leave one of them out")
        }
        if id == nil, place.position == nil {
            throw ValidationError(
                "with --where, use --before, --after, --section or --parent: --back, --up, --down, and --front without --section "
                    + "or --parent, move only one item")
        }
    }

    func run() async throws {
        guard let id else { return try await moveMatching() }
        if let position = place.position, !preview.dryRun {
            return try await options.transact(list, [.moveItem(id, to: position)])
        }
        func operations(_ state: ListState) throws -> [ListOperation] {
            if let position = place.position { return [.moveItem(id, to: position)] }
            guard let step = place.step else { return [] }
            guard let siblings = Siblings(of: id, in: state.snapshot) else {
                throw CommandError.noSuchItem(id, in: list)
            }
            return siblings.position(after: step).map { [.moveItem(id, to: $0)] } ?? []
        }
        if preview.dryRun { return try await options.preview(list, operations) }
        try await options.transact(list) { try operations($0) }
    }

    private func moveMatching() async throws {
        guard let position = place.position else { return }
        let anchor = place.place.before ?? place.place.after
        var count = 0
        let change = try await options.outcome(of: list, where: matching, isDryRun: preview.dryRun) { snapshot, items in
            let items = items.filter { $0.id != anchor }
            let moved = Set(items.map(\.id))
            let ids = items.map(\.id).filter { !snapshot.ancestors(of: $0).contains(where: moved.contains) }
            count = ids.count
            // Each item is put after the previous one, so that they keep their order.
            let positions = [position] + ids.dropLast().map { ItemPosition.after($0) }
            return zip(ids, positions).map { .moveItem($0, to: $1) }
        }
        if let change { options.report(change.outcome, saying: "\(counted(count, "item")) moved") }
    }
}

extension Snapshot {
    fileprivate func ancestors(of id: ItemID) -> [ItemID] {
        Array(
            sequence(state: id) { id in
                guard let parent = parent(of: id) else { return nil }
                id = parent
                return parent
            })
    }
}
