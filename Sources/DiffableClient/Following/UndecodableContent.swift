import Diffable

/// The treatment of an item whose content cannot be decoded.
public enum UndecodableItems: Sendable {
    /// The loop ends with `ClientError.undecodable`.
    case `throw`
    /// The item and its descendants are not shown until it changes. The closure is called for each such item, when it is
    /// inserted or changed, before the update that omits it.
    case skip(@Sendable (UndecodableContent) -> Void = { _ in })
}

/// An item's content that cannot be decoded as the program's type.
public struct UndecodableContent: Error, Equatable, Sendable {
    /// The list.
    public var list: ListName
    /// The item.
    public var item: ItemID
    /// The place in the content, such as `due.day` or `tags[2]`; empty for the content as a whole.
    public var member: String
    /// The expected type.
    public var type: String
    /// The mistake, for users.
    public var reason: String

    init(of item: ItemID, in list: ListName, as type: Any.Type, _ error: any Error) {
        self.list = list
        self.item = item
        let unfit = error as? ContentDecodingError
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
    /// The mistake and the remedy, for users.
    public var description: String {
        let place = member.isEmpty ? "" : " \(member):"
        // Foundation's sentences end with a full stop, others do not.
        let reason = reason.hasSuffix(".") ? String(reason.dropLast()) : reason
        return "the list \"\(list)\": the content of the item \"\(item)\" cannot be decoded as \(type):\(place) "
            + "\(reason). Change the type to what the publisher writes, or follow the list without a type"
    }
}
