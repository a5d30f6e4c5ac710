import ArgumentParser
import Diffable
import DiffableClient
import DiffableJSON

struct Patch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Change members of an item's content, of all items that meet a condition, or of the list itself.",
        discussion: """
            The patch is a JSON merge patch (RFC 7396): members replace those of the content, key:=null takes one away, \
            and what is not named stays. A key may be a path: .owner.name=root changes a member of a member. With --where \
            all that meet the condition are changed in one transaction, and how many they are is said. With --list the content \
            that the list has of its own is changed.
              diffablectl patch tasks milk done:=true note:=null
              diffablectl patch tasks --where done=true .archived:=true
              diffablectl patch tasks --list title=Today
            """)

    @Argument(help: "The list.", completion: .lists, transform: listName) var list: ListName
    @OptionGroup var arguments: TargetArguments
    @OptionGroup var options: ChangeOptions

    func validate() throws { _ = try patch(of: "item", ContentArguments.patch(of: arguments.words).description) }

    func run() async throws {
        let patch = try ContentArguments.patch(of: arguments.words).description
        switch try arguments.target() {
        case .list: try await options.transact(list, [.patchList(try self.patch(of: patch))])
        case .item(let id): try await options.transact(list, [.patchItems([try self.patch(of: id, patch)])])
        case .all(let conditions):
            try await options.transact(list, where: conditions, "patched") { items in
                [.patchItems(try items.map { try self.patch(of: $0.id, patch) })]
            }
        }
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
