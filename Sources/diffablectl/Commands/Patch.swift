import ArgumentParser
import Diffable
import DiffableClient
import DiffableInput
import DiffableJSON

struct Patch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Change members of the content of an item, of all items that match a condition, or of the list.",
        discussion: """
            The patch is a JSON merge patch (RFC 7396): its members replace those of the content, key:=null removes \
            one, and all others stay. A key can be a path: .owner.name=root changes a member of a member. With \
            --where, all matching items are changed in one transaction, and the command prints how many it changed. \
            With --list, the patch changes the list's own content. Patch refuses to replace a boolean or a number with \
            a string such as true or 5: use key:=true or key:=5.
              diffablectl patch tasks milk done:=true note:=null
              diffablectl patch tasks --where done=true .archived:=true
              diffablectl patch tasks --list title=Today
            """)

    @Argument(help: "The list.", completion: .lists, transform: listName) var list: ListName
    @OptionGroup var arguments: TargetArguments
    @OptionGroup var preview: PreviewOptions
    @OptionGroup var options: ChangeOptions

    func validate() throws { _ = try patch(of: "item", ContentArguments.patch(of: arguments.words).description) }

    func run() async throws {
        let patch = try ContentArguments.patch(of: arguments.words).description
        switch try arguments.target() {
        case .list: try await change(.list, [.patchList(try self.patch(of: patch))])
        case .item(let id): try await change(.item(id), [.patchItems([try self.patch(of: id, patch)])])
        case .all(let conditions):
            let pairs = AmbiguousStringPairs(arguments.words)
            var present: [PresentContent] = []
            let change = try await options.outcome(of: list, where: conditions, isDryRun: preview.dryRun) { _, items in
                present = items.map { PresentContent($0) }
                try pairs.check(against: present)
                return [.patchItems(try items.map { try self.patch(of: $0.id, patch) })]
            }
            if !options.quiet { pairs.warn(replacing: present) }
            guard let change else { return }
            options.report(change.outcome, saying: "\(counted(change.count, "item")) patched")
        }
    }

    private func change(_ place: ChangeOptions.Place, _ operations: [ListOperation]) async throws {
        let pairs = AmbiguousStringPairs(arguments.words)
        let present = pairs.isEmpty ? [] : await options.present(place, in: list)
        try pairs.check(against: present)
        if !options.quiet { pairs.warn(replacing: present) }
        if preview.dryRun { return try await options.preview(list) { _ in operations } }
        try await options.transact(list, operations)
    }

    private func patch(of id: ItemID, _ json: String) throws -> ItemPatch {
        do throws(JSONError) { return try ItemPatch(id: id, mergePatch: json) } catch { throw unusable(error) }
    }

    private func patch(of json: String) throws -> ListPatch {
        do throws(JSONError) { return try ListPatch(mergePatch: json) } catch { throw unusable(error) }
    }

    private func unusable(_ error: JSONError) -> ValidationError {
        ValidationError("the patch cannot be used: \(error)")
    }
}
