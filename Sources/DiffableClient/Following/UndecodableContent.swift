import Diffable

/// What becomes of an item whose content is not what the program takes it for.
public enum UndecodableItems: Sendable {
    /// The loop ends with `ClientError.undecodable`.
    case `throw`
    /// The item is not shown, nor what is below it, until it looks otherwise. The function hears of each, when it comes or
    /// looks different, before the update that has it not.
    case skip(@Sendable (UndecodableContent) -> Void = { _ in })
}

/// An item's content that is not what a program takes it for.
public struct UndecodableContent: Error, Equatable, Sendable {
    /// The list that it is in.
    public var list: ListName
    /// The item whose content it is.
    public var item: ItemID
    /// Where in the content, such as `due.day` or `tags[2]`; empty when it is the content as a whole.
    public var member: String
    /// What was wanted.
    public var type: String
    /// What is wrong, for people.
    public var reason: String

    init(of item: ItemID, in list: ListName, as type: Any.Type, _ error: any Error) {
        self.list = list
        self.item = item
        let unfit = error as? UnfitContent
        self.type = unfit?.type ?? "\(type)"
        guard let error = (unfit?.reason ?? error) as? Swift.DecodingError else {
            (member, reason) = ("", "\(error)")
            return
        }
        let context: Swift.DecodingError.Context
        var path: [any CodingKey] = []
        switch error {
        case .typeMismatch(_, let found), .dataCorrupted(let found): context = found
        case .valueNotFound(_, let found): context = found
        case .keyNotFound(let key, let found):
            context = found
            path = [key]
        @unknown default: context = .init(codingPath: [], debugDescription: "\(error)")
        }
        member = UndecodableContent.member(context.codingPath + path)
        reason = if case .keyNotFound = error { "it is missing" } else { context.debugDescription }
    }

    private static func member(_ path: [any CodingKey]) -> String {
        path.reduce("") { member, key in
            if let index = key.intValue { return "\(member)[\(index)]" }
            return member.isEmpty ? key.stringValue : "\(member).\(key.stringValue)"
        }
    }
}

extension UndecodableContent: CustomStringConvertible {
    /// What is wrong and what to do, for people.
    public var description: String {
        let place = member.isEmpty ? "" : " \(member):"
        // Foundation's sentences end in a full stop, others do not.
        let reason = reason.hasSuffix(".") ? String(reason.dropLast()) : reason
        return "the list \"\(list)\": the content of the item \"\(item)\" is no \(type):\(place) \(reason). Make "
            + "the type as the publisher writes it, or follow the list without one"
    }
}
