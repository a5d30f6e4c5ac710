import ArgumentParser
import Diffable

/// Arguments for a change of content: an item and its new content. With --where the content is for all items that match the
/// condition, and with --list it is the list's own.
struct TargetArguments: ParsableArguments {
    @Argument(help: "The item; leave it out with --where or --list.", completion: .items) var item: String?
    @Argument(help: "JSON, or key=value pairs.") var content: [String] = []
    @Flag(name: .customLong("list"), help: "Change the list's own content, not an item's.") var isOfList = false
    @OptionGroup var matching: ConditionOptions

    enum Target {
        case list
        case item(ItemID)
        case all(where: ConditionOptions)
    }

    func validate() throws {
        _ = try target()
        guard !words.isEmpty else {
            let place = item.map { "the item \($0.debugDescription)" } ?? "the options"
            throw ValidationError(
                "content is missing: after \(place), write JSON, or key=value pairs such as text=\"Buy milk\" done:=false"
            )
        }
    }

    func target() throws -> Target {
        if isOfList {
            guard matching.isEmpty else {
                throw ValidationError("--where selects items, and --list is the list itself; use one of them")
            }
            return .list
        }
        if !matching.isEmpty { return .all(where: matching) }
        guard let item else {
            throw ValidationError("name an item, select items with --where, or use --list for the list's own content")
        }
        return .item(try itemID(item))
    }

    /// With a condition or --list no item is named, and the first argument belongs to the content.
    var words: [String] { (matching.isEmpty && !isOfList ? [] : [item].compactMap(\.self)) + content }
}
