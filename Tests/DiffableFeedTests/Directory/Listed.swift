import Diffable
import DiffableInput
import Foundation
import Synchronization

@testable import DiffableFeed

/// The last state of a directory source as readable lines: names, indented by two spaces a level.
final class Listed: Sendable {
    private struct State {
        var items: [Item]?
        var problem: String?
        var count = 0
    }

    private let state = Mutex(State())

    func append(_ news: FeedState) {
        state.withLock { state in
            state.count += 1
            switch news {
            case .whole(let input): (state.items, state.problem) = (Self.items(input), nil)
            case .incomplete(let input, let error):
                (state.items, state.problem) = (Self.items(input), error.description)
            case .failure(let error): state.problem = error.description
            case .blindness: break
            case .change, .snapshot: break
            }
        }
    }

    private static func items(_ input: Input) -> [Item] {
        guard case .whole(let list) = input else { return [] }
        return list.sections.flatMap(\.items)
    }

    var items: [Item]? { state.withLock(\.items) }
    var problem: String? { state.withLock(\.problem) }
    /// The number of states so far.
    var count: Int { state.withLock(\.count) }

    /// The lines; nil before the first state. `+` marks folders that can be opened.
    var outline: [String]? { items.map { Self.outline($0, "") } }

    private static func outline(_ items: [Item], _ indent: String) -> [String] {
        items.flatMap { item in
            let isClosed = item.member("hasChildren") == "true"
            let line = indent + (item.member("text") ?? "?") + (isClosed ? "+" : "")
            return [line] + outline(item.children, indent + "  ")
        }
    }

    func item(_ id: String) -> Item? {
        func found(_ items: [Item]) -> Item? {
            for item in items {
                if "\(item.id)" == id { return item }
                if let inner = found(item.children) { return inner }
            }
            return nil
        }
        return found(items ?? [])
    }
}

extension Item {
    func member(_ name: String) -> String? { content.flatMap { JSONReader($0).member(name)?.plainText } }
}
