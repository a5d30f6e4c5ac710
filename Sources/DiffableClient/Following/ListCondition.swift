import Diffable
import DiffableJSON

/// Which items a view shows: a comparison with a value in the content, or several of them.
///
///     let isUrgent: ListCondition = !("/done" == true) && "/due" < 5
///
/// What stands on the left is a `ContentPointer`, and a literal is one. A comparison with what is not there, or is of another
/// type, does not hold; so `"/done" != true` holds also for items without the member.
public struct ListCondition: Hashable, Sendable {
    private indirect enum Form: Hashable, Sendable {
        case and([ListCondition])
        case or([ListCondition])
        case not(ListCondition)
        /// A test of what is at the path: the test's name, and what follows it in JSON.
        case test(ContentPointer, String, Content)
    }

    private let form: Form

    private init(_ form: Form) { self.form = form }

    fileprivate init(_ path: ContentPointer, _ test: String, _ value: Content) {
        self.init(.test(path, test, value))
    }

    /// Both hold.
    public static func && (a: ListCondition, b: ListCondition) -> ListCondition { .all([a, b]) }

    /// One of the two holds, or both.
    public static func || (a: ListCondition, b: ListCondition) -> ListCondition { .any([a, b]) }

    /// It does not hold.
    public static prefix func ! (condition: ListCondition) -> ListCondition { ListCondition(.not(condition)) }

    /// All hold; so everything does when there are none.
    public static func all(_ conditions: [ListCondition]) -> ListCondition {
        ListCondition(
            .and(
                conditions.flatMap { condition in
                    if case .and(let parts) = condition.form { parts } else { [condition] }
                }))
    }

    /// At least one holds; so nothing does when there are none.
    public static func any(_ conditions: [ListCondition]) -> ListCondition {
        ListCondition(
            .or(
                conditions.flatMap { condition in
                    if case .or(let parts) = condition.form { parts } else { [condition] }
                }))
    }

    /// A string with this one in it, or an array with this element.
    public static func contains(_ path: ContentPointer, _ element: some ComparedValue) -> ListCondition {
        ListCondition(path, "contains", element.comparedJSON)
    }

    /// A string that begins with this one.
    public static func hasPrefix(_ path: ContentPointer, _ prefix: String) -> ListCondition {
        ListCondition(path, "prefix", prefix.comparedJSON)
    }

    /// Anything is there, `null` too.
    public static func exists(_ path: ContentPointer) -> ListCondition {
        ListCondition(path, "exists", true.comparedJSON)
    }

    /// There is `null`.
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
    /// As it is written on the wire: `{"path":"/due","lessThan":5}`.
    public var description: String {
        var json = ByteWriter()
        write(to: &json)
        return String(decoding: json.bytes, as: UTF8.self)
    }
}

/// Where in an item a value is: `id`, `kind`, or a JSON pointer into the content (RFC 6901), such as `/due` or `/tags/0`.
public struct ContentPointer: Hashable, Sendable, ExpressibleByStringLiteral {
    let text: String

    /// What is wrong with it is said by the view that it becomes a part of.
    public init(_ text: String) { self.text = text }

    /// The same as `init(_:)`, for a path that stands in the program.
    public init(stringLiteral text: String) { self.init(text) }

    /// The id of the item, as a string.
    public static let id = ContentPointer("id")
    /// The kind of the item, as a string; not there when it has none.
    public static let kind = ContentPointer("kind")

    /// There is this value. Arrays and objects are equal when they are written alike.
    public static func == (path: ContentPointer, value: some ComparedValue) -> ListCondition {
        ListCondition(path, "equals", value.comparedJSON)
    }

    /// There is another value, or none.
    public static func != (path: ContentPointer, value: some ComparedValue) -> ListCondition { !(path == value) }

    /// There is a smaller value of the same type: a number, or a string that comes before this one by its bytes.
    public static func < (path: ContentPointer, value: some OrderedValue) -> ListCondition {
        ListCondition(path, "lessThan", value.comparedJSON)
    }

    /// There is a smaller value of the same type, or this one.
    public static func <= (path: ContentPointer, value: some OrderedValue) -> ListCondition {
        ListCondition(path, "atMost", value.comparedJSON)
    }

    /// There is a greater value of the same type: a number, or a string that comes behind this one by its bytes.
    public static func > (path: ContentPointer, value: some OrderedValue) -> ListCondition {
        ListCondition(path, "greaterThan", value.comparedJSON)
    }

    /// There is a greater value of the same type, or this one.
    public static func >= (path: ContentPointer, value: some OrderedValue) -> ListCondition {
        ListCondition(path, "atLeast", value.comparedJSON)
    }
}

extension ContentPointer: CustomStringConvertible {
    /// The path itself, such as `/due`.
    public var description: String { text }
}

/// What a value in a content can be compared with.
public protocol ComparedValue {
    /// As JSON.
    var comparedJSON: Content { get }
}

/// What has an order: numbers, and strings by their bytes.
public protocol OrderedValue: ComparedValue {}

extension Bool: ComparedValue {
    /// `true` or `false`.
    public var comparedJSON: Content { Content(Array("\(self)".utf8)) }
}

extension Int: OrderedValue {
    /// Its digits.
    public var comparedJSON: Content { Content(Array("\(self)".utf8)) }
}

extension Double: OrderedValue {
    /// A number that JSON has not stops the program.
    public var comparedJSON: Content {
        precondition(isFinite, "a value in a content is never \(self)")
        return Content(Array("\(self)".utf8))
    }
}

extension String: OrderedValue {
    /// A JSON string. O(length).
    public var comparedJSON: Content {
        var json = ByteWriter()
        json.appendString(self)
        return Content(json.bytes)
    }
}

extension Identifier: ComparedValue {
    /// Its text as a JSON string. O(length).
    public var comparedJSON: Content { description.comparedJSON }
}

extension Content: ComparedValue {
    /// Itself, as it is JSON already.
    public var comparedJSON: Content { self }
}
