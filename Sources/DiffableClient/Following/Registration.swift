import Diffable

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a program makes of the items of one kind, as a cell registration does in UIKit.
///
///     Registration("todo", as: Todo.self) { .todo($0) }
public struct Registration<Value: Sendable>: Sendable {
    let kind: Kind?
    let decode: @Sendable (Item, JSONDecoder) throws -> Value

    /// Decodes the contents of a kind of items, and makes of them what the program shows.
    ///
    /// - Parameters:
    ///   - kind: of the items; nil for items without one.
    ///   - type: what their content is.
    ///   - make: makes of it what the program shows. It is called once for each item that is new or looks different.
    public init<Decoded: Decodable & SendableMetatype>(
        _ kind: Kind?, as type: Decoded.Type, _ make: @escaping @Sendable (Decoded) -> Value
    ) {
        self.init(kind, as: type) { content, _ in make(content) }
    }

    /// The same for who needs the item too, without its children.
    public init<Decoded: Decodable & SendableMetatype>(
        _ kind: Kind?, as type: Decoded.Type, _ make: @escaping @Sendable (Decoded, Item) -> Value
    ) {
        self.kind = kind
        decode = { item, decoder in
            let content: Decoded
            do { content = try item.decodedContent(as: type, by: decoder) } catch {
                throw UnfitContent(type: "\(type)", reason: error)
            }
            return make(content, item)
        }
    }
}

/// What becomes of the items that no registration is for, and of those whose content is not what theirs says.
public enum OtherItems<Value: Sendable>: Sendable {
    /// The loop ends with `ClientError.undecodable`.
    case isError
    /// They are not shown, nor what is below them, until they look otherwise. The function hears of each.
    case passedOver(@Sendable (UndecodableContent) -> Void = { _ in })
    /// This is shown of them.
    case shown(@Sendable (Item) -> Value)
}

extension Client {
    /// Follows a list whose items are of several kinds, each with a type of its own.
    ///
    ///     let cells = client.list(
    ///         "tasks",
    ///         registrations: [
    ///             Registration("header", as: Header.self) { .header($0) },
    ///             Registration("todo", as: Todo.self) { .todo($0) },
    ///         ], otherwise: .shown { .unknown($0.id) })
    ///
    /// - Parameters:
    ///   - registrations: one for each kind. Two for the same stop the program.
    ///   - otherwise: what becomes of all other items, so that one that somebody wrote wrong need not end the loop.
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

/// Why a content is not what its registration says.
struct UnfitContent: Error {
    let type: String
    let reason: any Error
}

/// No registration is for an item.
private struct UnregisteredKind: Error, CustomStringConvertible {
    let kind: Kind?

    var description: String { "nothing is registered for \(items(of: kind))" }
}

private func items(of kind: Kind?) -> String { kind.map { "items of kind \"\($0)\"" } ?? "items without a kind" }
