import ArgumentParser
import Diffable
import DiffableClient
import DiffableInput

enum WaitGoal {
    case exists
    case deleted
    /// The item matches the condition; without an item, any item does.
    case condition(Content)
    case count(ShortCondition.Comparison, Int)

    /// `hasItem` says whether an item was named. Without one, `count` is the number of items.
    init(_ texts: [String], hasItem: Bool) throws {
        switch texts {
        case []:
            throw ValidationError("use --for to name the condition: exists, deleted, or a test such as done=true")
        case ["exists"]: self = .exists
        case ["deleted"]: self = .deleted
        default:
            if let word = texts.first(where: { ["exists", "deleted"].contains($0) }) {
                throw ValidationError(
                    "--for \(word) must be the only --for: it waits for the list or the item itself. To test a member \(word) of "
                        + "the contents, write --for .\(word)")
            }
            if !hasItem, texts.count == 1, let count = try Self.count(texts[0]) {
                self = count
            } else {
                guard let json = try ConditionOptions.json(of: texts) else { preconditionFailure("there is a text") }
                self = .condition(json)
            }
        }
    }

    private static func count(_ text: String) throws -> WaitGoal? {
        let condition = try ShortCondition(text)
        guard condition.field == "count" else { return nil }
        guard case .comparison(let comparison, let value) = condition.test, let number = Int(value),
            ![.has, .hasNot].contains(comparison)
        else {
            throw ValidationError(
                "without an item, count is the number of items, and must be compared with a number: 'count>10'")
        }
        return .count(comparison, number)
    }
}

// MARK: - Whether it is reached

extension WaitGoal {
    /// The view of the list that shows whether the goal is reached. `condition` selects the items that are counted.
    func options(item: ItemID?, where condition: Content?) throws -> ListOptions {
        var parts: [Content] = []
        if let item { parts.append(.object([("path", .string("id".utf8)), ("equals", .string("\(item)".utf8))])) }
        if case .condition(let content) = self { parts.append(content) }
        if let condition { parts.append(condition) }
        // Without a condition the total of the window is enough, and a window of one row has it.
        let all = Content.object([("window", .object([("limit", .number(1))]))])
        let view = parts.isEmpty ? all : Content.object([("where", .object([("and", .array(parts))]))])
        _ = try checkedView(view.description)
        var options = ListOptions(view: try ListView(json: view.description))
        if case .exists = self { options.ifAbsent = .isAwaited }
        return options
    }

    /// `count` is the number of items that were selected.
    func isReached(hasItem: Bool, count: Int) -> Bool {
        switch self {
        case .exists: !hasItem || count > 0
        case .deleted: hasItem && count == 0
        case .condition: count > 0
        case .count(let comparison, let number):
            switch comparison {
            case .isEqual, .isExactly: count == number
            case .isNot: count != number
            case .isLess: count < number
            case .isAtMost: count <= number
            case .isGreater: count > number
            case .isAtLeast: count >= number
            case .has, .hasNot: false
            }
        }
    }

    var isDeletion: Bool {
        if case .deleted = self { true } else { false }
    }
}
