import Diffable

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Converts the items of one kind, like a cell registration in UIKit.
///
///     Registration("todo", as: Todo.self) { .todo($0) }
public struct Registration<Value: Sendable>: Sendable {
    let kind: Kind?
    let decode: @Sendable (Item, JSONDecoder) throws -> Value

    /// Decodes the contents of the items of one kind, and converts them.
    ///
    /// - Parameters:
    ///   - kind: the items' kind; nil for items without a kind.
    ///   - type: the type of their content.
    ///   - make: converts a decoded content. It is called once for each item that is new or changed.
    public init<Decoded: Decodable & SendableMetatype>(
        _ kind: Kind?, as type: Decoded.Type, _ make: @escaping @Sendable (Decoded) -> Value
    ) {
        self.init(kind, as: type) { content, _ in make(content) }
    }

    /// The same, with a closure that also takes the item, without its children.
    public init<Decoded: Decodable & SendableMetatype>(
        _ kind: Kind?, as type: Decoded.Type, _ make: @escaping @Sendable (Decoded, Item) -> Value
    ) {
        self.kind = kind
        decode = { item, decoder in
            let content: Decoded
            do { content = try item.decodedContent(as: type, by: decoder) } catch {
                throw ContentDecodingError(type: "\(type)", reason: error)
            }
            return make(content, item)
        }
    }
}

/// The treatment of items without a registration, and of items whose content cannot be decoded.
public enum OtherItems<Value: Sendable>: Sendable {
    /// The loop ends with `ClientError.undecodable`.
    case isError
    /// The items and their descendants are not shown until they change. The closure is called for each of them.
    case passedOver(@Sendable (UndecodableContent) -> Void = { _ in })
    /// The closure's value is shown instead.
    case shown(@Sendable (Item) -> Value)
}

extension Client {
    /// Follows a list whose items are of several kinds, each with its own type.
    ///
    ///     let cells = client.list(
    ///         "tasks",
    ///         registrations: [
    ///             Registration("header", as: Header.self) { .header($0) },
    ///             Registration("todo", as: Todo.self) { .todo($0) },
    ///         ], otherwise: .shown { .unknown($0.id) })
    ///
    /// - Parameters:
    ///   - registrations: one for each kind. Two for the same kind stop the program.
    ///   - otherwise: the treatment of all other items, so that a single invalid item need not end the loop.
    ///   - decoder: reads the JSON; an item without content is read as `null`.
    public func list<Value: Sendable>(
        _ list: ListName, registrations: [Registration<Value>], otherwise: OtherItems<Value>,
        options: ListOptions = ListOptions(), decoder: JSONDecoder = JSONDecoder()
    ) -> ListUpdates<Value> {
        let byKind = Dictionary(registrations.map { ($0.kind, $0) }) { first, _ in
            preconditionFailure("two registrations are for \(items(of: first.kind))")
        }
        let decode: @Sendable (Item) throws -> Value = { item in
            guard let registration = byKind[item.kind] else { throw UnregisteredKind(kind: item.kind) }
            return try registration.decode(item, decoder)
        }
        switch otherwise {
        case .isError: return self.list(list, options: options, decoding: decode)
        case .passedOver(let report):
            return self.list(list, options: options, undecodable: .skip(report), decoding: decode)
        case .shown(let other):
            return self.list(list, options: options) { item in
                do { return try decode(item) } catch { return other(item) }
            }
        }
    }
}

struct ContentDecodingError: Error {
    let type: String
    let reason: any Error
}

private struct UnregisteredKind: Error, CustomStringConvertible {
    let kind: Kind?

    var description: String { "nothing is registered for \(items(of: kind))" }
}

private func items(of kind: Kind?) -> String { kind.map { "items of kind \"\($0)\"" } ?? "items without a kind" }
