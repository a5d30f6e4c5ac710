import Diffable
import DiffableJSON

/// Selects the items of a view: a comparison with a value in the content, or several of them.
///
///     let isUrgent: ListCondition = !("/done" == true) && "/due" < 5
///
/// The left side is a `ContentPointer`, which can be a literal. A comparison with a missing value, or with one of another type,
/// does not hold; so `"/done" != true` holds also for items without the member.
public struct ListCondition: Hashable, Sendable {
    private indirect enum Form: Hashable, Sendable {
        case and([ListCondition])
        case or([ListCondition])
        case not(ListCondition)
        /// A test of the value at a path: the test's name, and its operand in JSON.
        case test(ContentPointer, String, Content)
    }

    private let form: Form

    private init(_ form: Form) { self.form = form }

    fileprivate init(_ path: ContentPointer, _ test: String, _ value: Content) {
        self.init(.test(path, test, value))
    }

    /// Both conditions hold.
    public static func && (a: ListCondition, b: ListCondition) -> ListCondition { .all([a, b]) }

    /// At least one of the two conditions holds.
    public static func || (a: ListCondition, b: ListCondition) -> ListCondition { .any([a, b]) }

    /// The condition does not hold.
    public static prefix func ! (condition: ListCondition) -> ListCondition { ListCondition(.not(condition)) }

    /// All conditions hold; true for none.
    public static func all(_ conditions: [ListCondition]) -> ListCondition {
        ListCondition(
            .and(
                conditions.flatMap { condition in
                    if case .and(let parts) = condition.form { parts } else { [condition] }
                }))
    }

    /// At least one condition holds; false for none.
    public static func any(_ conditions: [ListCondition]) -> ListCondition {
        ListCondition(
            .or(
                conditions.flatMap { condition in
                    if case .or(let parts) = condition.form { parts } else { [condition] }
                }))
    }

    /// The value is a string that contains this one, or an array with this element.
    public static func contains(_ path: ContentPointer, _ element: some ComparedValue) -> ListCondition {
        ListCondition(path, "contains", element.comparedJSON)
    }

    /// The value is a string that begins with this one.
    public static func hasPrefix(_ path: ContentPointer, _ prefix: String) -> ListCondition {
        ListCondition(path, "prefix", prefix.comparedJSON)
    }

    /// There is a value, which may be `null`.
    public static func exists(_ path: ContentPointer) -> ListCondition {
        ListCondition(path, "exists", true.comparedJSON)
    }

    /// The value is `null`.
    public static func isNull(_ path: ContentPointer) -> ListCondition {
        ListCondition(path, "equals", Content(Array("null".utf8)))
    }

    func write(to json: inout ByteWriter) {
        switch form {
        case .and(let conditions): Self.write(conditions, as: #"{"and":["#, to: &json)
        case .or(let conditions): Self.write(conditions, as: #"{"or":["#, to: &json)
        case .not(let condition):
            json.append(#"{"not":"#)
            condition.write(to: &json)
            json.append("}")
        case .test(let path, let test, let value):
            json.append(#"{"path":"#)
            json.appendString(path.text)
            json.append(",")
            json.appendString(test)
            json.append(":")
            json.append(value.bytes)
            json.append("}")
        }
    }

    private static func write(_ conditions: [ListCondition], as start: StaticString, to json: inout ByteWriter) {
        json.append(start)
        for (index, condition) in conditions.enumerated() {
            if index > 0 { json.append(",") }
            condition.write(to: &json)
        }
        json.append("]}")
    }
}

extension ListCondition: CustomStringConvertible {
    /// The condition in the protocol's JSON: `{"path":"/due","lessThan":5}`.
    public var description: String {
        var json = ByteWriter()
        write(to: &json)
        return String(decoding: json.bytes, as: UTF8.self)
    }
}

/// The path of a value in an item: `id`, `kind`, or a JSON pointer into the content (RFC 6901), such as `/due` or `/tags/0`.
public struct ContentPointer: Hashable, Sendable, ExpressibleByStringLiteral {
    let text: String

    /// Takes the path without checking it. A view with an invalid path throws.
    public init(_ text: String) { self.text = text }

    /// The same as `init(_:)`, for a literal.
    public init(stringLiteral text: String) { self.init(text) }

    /// The id of the item, as a string.
    public static let id = ContentPointer("id")
    /// The kind of the item, as a string; missing if it has none.
    public static let kind = ContentPointer("kind")

    /// The value is equal to this one. Arrays and objects are equal if they are written alike.
    public static func == (path: ContentPointer, value: some ComparedValue) -> ListCondition {
        ListCondition(path, "equals", value.comparedJSON)
    }

    /// The value differs from this one, or is missing.
    public static func != (path: ContentPointer, value: some ComparedValue) -> ListCondition { !(path == value) }

    /// The value has the same type and is less: a number, or a string that precedes this one by its bytes.
    public static func < (path: ContentPointer, value: some OrderedValue) -> ListCondition {
        ListCondition(path, "lessThan", value.comparedJSON)
    }

    /// The value has the same type and is less or equal.
    public static func <= (path: ContentPointer, value: some OrderedValue) -> ListCondition {
        ListCondition(path, "atMost", value.comparedJSON)
    }

    /// The value has the same type and is greater: a number, or a string that follows this one by its bytes.
    public static func > (path: ContentPointer, value: some OrderedValue) -> ListCondition {
        ListCondition(path, "greaterThan", value.comparedJSON)
    }

    /// The value has the same type and is greater or equal.
    public static func >= (path: ContentPointer, value: some OrderedValue) -> ListCondition {
        ListCondition(path, "atLeast", value.comparedJSON)
    }
}

extension ContentPointer: CustomStringConvertible {
    /// The path itself, such as `/due`.
    public var description: String { text }
}

/// A value that a value in a content can be compared with.
public protocol ComparedValue {
    /// The value as JSON.
    var comparedJSON: Content { get }
}

/// A value with an order: a number, or a string, ordered by its bytes.
public protocol OrderedValue: ComparedValue {}

extension Bool: ComparedValue {
    /// `true` or `false`.
    public var comparedJSON: Content { Content(Array("\(self)".utf8)) }
}

extension Int: OrderedValue {
    /// The number's digits.
    public var comparedJSON: Content { Content(Array("\(self)".utf8)) }
}

extension Double: OrderedValue {
    /// The number as JSON. An infinite value or NaN stops the program, because JSON has neither.
    public var comparedJSON: Content {
        precondition(isFinite, "a value in a content is never \(self)")
        return Content(Array("\(self)".utf8))
    }
}

extension String: OrderedValue {
    /// The string as JSON. O(length).
    public var comparedJSON: Content {
        var json = ByteWriter()
        json.appendString(self)
        return Content(json.bytes)
    }
}

extension Identifier: ComparedValue {
    /// The id's text as a JSON string. O(length).
    public var comparedJSON: Content { description.comparedJSON }
}

extension Content: ComparedValue {
    /// The content itself, which is already JSON.
    public var comparedJSON: Content { self }
}
