/// The number of items that a new state may delete: a number such as `100`, or a share of the items such as `20%`.
package enum DeletionLimit: Equatable, Sendable, CustomStringConvertible {
    case items(Int)
    case percent(Int)

    package init?(argument: String) {
        let digits = argument.hasSuffix("%") ? argument.dropLast() : argument[...]
        guard let number = Int(digits), number >= 0 else { return nil }
        guard argument.hasSuffix("%") else {
            self = .items(number)
            return
        }
        guard number <= 100 else { return nil }
        self = .percent(number)
    }

    package func allows(_ deleted: Int, of count: Int) -> Bool {
        switch self {
        case .items(let number): deleted <= number
        // The product of an item count and 100 cannot overflow.
        case .percent(let percent): deleted * 100 <= count * percent
        }
    }

    package var description: String {
        switch self {
        case .items(let number): counted(number, "item")
        case .percent(let percent): "\(percent)%"
        }
    }
}
