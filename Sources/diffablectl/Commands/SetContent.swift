import ArgumentParser
import Diffable
import DiffableInput

struct SetContent: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Replace the content of an item, of all items that match a condition, or of the list.",
        discussion: """
            The new content replaces the old one. Members that are not in it are removed, and the command prints their \
            names. Use patch to change some members and keep the others. null removes the content. With --where, all \
            matching items get the content in one transaction, and the command prints how many it changed. With \
            --list, the list itself gets the content. Set refuses to replace a boolean or a number with a string such \
            as true or 5: use key:=true or key:=5.
            """)

    @Argument(help: "The list.", completion: .lists, transform: listName) var list: ListName
    @OptionGroup var arguments: TargetArguments
    @Option(
        help: ArgumentHelp("Also set the item's kind. Viewers choose its appearance by it.", valueName: "kind"),
        transform: kindName)
    var kind: Kind?
    @OptionGroup var preview: PreviewOptions
    @OptionGroup var options: ChangeOptions

    func validate() throws {
        _ = try ContentArguments.content(of: arguments.words)
        if kind != nil, arguments.isOfList {
            throw ValidationError("--kind cannot be combined with --list: only items have a kind")
        }
    }

    func run() async throws {
        let content = try ContentArguments.content(of: arguments.words)
        switch try arguments.target() {
        case .list: try await replace(.list, content, [.reconfigureList(content)])
        case .item(let id): try await replace(.item(id), content, [operation([id], content)])
        case .all(let conditions):
            let pairs = AmbiguousStringPairs(arguments.words)
            var present: [PresentContent] = []
            let change = try await options.outcome(of: list, where: conditions, isDryRun: preview.dryRun) { _, items in
                present = items.map { PresentContent($0) }
                try pairs.check(against: present)
                return [operation(items.map(\.id), content)]
            }
            if !options.quiet { pairs.warn(replacing: present) }
            let loss = PresentContent.loss(of: present, replacedBy: content)
            guard let change else { return printLoss(loss) }
            let words = ["\(counted(change.count, "item")) set"] + [loss].compactMap(\.self)
            options.report(change.outcome, saying: words.joined(separator: "; "))
        }
    }

    private func replace(
        _ place: ChangeOptions.Place, _ content: Content?, _ operations: [ListOperation]
    ) async throws {
        let pairs = AmbiguousStringPairs(arguments.words)
        let present = options.quiet && pairs.isEmpty ? [] : await options.present(place, in: list)
        try pairs.check(against: present)
        if !options.quiet { pairs.warn(replacing: present) }
        let loss = PresentContent.loss(of: present, replacedBy: content)
        if preview.dryRun {
            try await options.preview(list) { _ in operations }
            return printLoss(loss)
        }
        try await options.transact(list, operations, saying: loss)
    }

    private func printLoss(_ loss: String?) {
        if preview.dryRun, !options.quiet, let loss { printMessage(loss) }
    }

    private func operation(_ ids: [ItemID], _ content: Content?) -> ListOperation {
        if let kind { return .reloadItems(ids.map { ItemReload(id: $0, kind: kind, content: .some(content)) }) }
        return .reconfigureItems(ids.map { ItemReconfiguration(id: $0, content: .some(content)) })
    }
}
