extension DecimalNumber {
    /// An exponent of ten. JSON does not limit it.
    enum Magnitude: Sendable {
        case small(Int)
        /// An exponent that does not fit 64 bits: digits without leading zeros.
        case huge(isNegative: Bool, digits: [UInt8])

        /// The exponent after the `e`, plus an integer of less than 10^18.
        init(exponent: UnsafeRawBufferPointer, shiftedBy shift: Int) {
            let isNegative = exponent.first == UInt8(ascii: "-")
            let hasSign = isNegative || exponent.first == UInt8(ascii: "+")
            let digits = exponent.dropFirst(hasSign ? 1 : 0).drop { $0 == UInt8(ascii: "0") }
            if digits.count <= 18 {
                let exponent = digits.reduce(0) { $0 * 10 + Int($1 & 0x0F) }
                self = .small((isNegative ? -exponent : exponent) + shift)
            } else {
                self.init(isNegative: isNegative, digits: Array(digits), shiftedBy: shift)
            }
        }

        /// Adds the shift to a longer exponent, digit by digit.
        private init(isNegative: Bool, digits: [UInt8], shiftedBy shift: Int) {
            var digits = digits
            var carry = isNegative ? -shift : shift
            var index = digits.count
            while carry != 0, index > 0 {
                index -= 1
                let sum = carry + Int(digits[index] & 0x0F)
                let digit = (sum % 10 + 10) % 10
                digits[index] = UInt8(ascii: "0") + UInt8(digit)
                carry = (sum - digit) / 10
            }
            if carry > 0 { digits.insert(contentsOf: "\(carry)".utf8, at: 0) }
            let rest = Array(digits.drop { $0 == UInt8(ascii: "0") })
            // Each exponent has only one representation.
            if let small = Int((isNegative ? "-" : "") + String(decoding: rest, as: UTF8.self)) {
                self = .small(small)
            } else {
                self = .huge(isNegative: isNegative, digits: rest)
            }
        }

        func compared(to other: Magnitude) -> Int {
            switch (self, other) {
            case (.small(let a), .small(let b)): return a < b ? -1 : a > b ? 1 : 0
            case (.small, .huge(let isNegative, _)): return isNegative ? 1 : -1
            case (.huge(let isNegative, _), .small): return isNegative ? -1 : 1
            case (.huge(let a, let digits), .huge(let b, let others)):
                if a != b { return a ? -1 : 1 }
                if digits == others { return 0 }
                let isShorter =
                    digits.count != others.count
                    ? digits.count < others.count : digits.lexicographicallyPrecedes(others)
                return isShorter != a ? -1 : 1
            }
        }
    }
}
