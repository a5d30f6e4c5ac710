import Diffable

/// A value in comparisons. Arrays and objects have no order.
enum Scalar: Equatable, Sendable {
    case null
    case boolean(Bool)
    case number(Double)
    case text(String)

    /// Nil for an array or object.
    init?(_ found: ContentPath.Found) {
        switch found {
        case .text(let bytes): self = .text(String(decoding: bytes, as: UTF8.self))
        case .value(let value): self.init(value)
        }
    }

    init?(_ value: CompactValue) {
        if let string = value.string {
            self = .text(string.text)
        } else if let number = value.number {
            self = .number(number)
        } else if let boolean = value.boolean {
            self = .boolean(boolean)
        } else if value.isNull {
            self = .null
        } else {
            return nil
        }
    }

    static func == (a: Scalar, b: Scalar) -> Bool {
        switch (a, b) {
        case (.null, .null): true
        case (.boolean(let a), .boolean(let b)): a == b
        case (.number(let a), .number(let b)): a == b
        // Strings are compared by bytes, as ids are. Swift's own comparison would treat é as one scalar and é as two as equal.
        case (.text(let a), .text(let b)): a.utf8.elementsEqual(b.utf8)
        default: false
        }
    }

    /// Nil for values of different types, and for values without an order.
    func precedes(_ other: Scalar) -> Bool? {
        switch (self, other) {
        case (.number(let a), .number(let b)): a < b
        case (.text(let a), .text(let b)): a.utf8.lexicographicallyPrecedes(b.utf8)
        default: nil
        }
    }
}
