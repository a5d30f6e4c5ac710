/// A JSON number by its exact value: nothing is rounded, however many digits it has. The value is ±0.d₁d₂d₃… × 10^magnitude, where
/// d₁ is not zero.
struct DecimalNumber {
    let isNegative: Bool
    /// From the first digit that is not zero to the last, possibly with a decimal point among them; empty for zero.
    let digits: UnsafeRawBufferPointer
    let magnitude: Magnitude

    /// From a number that the scanner has checked, whose bytes must outlive this one. O(length)
    init(_ text: UnsafeRawBufferPointer) {
        var start = 0
        isNegative = text.first == UInt8(ascii: "-")
        if isNegative { start += 1 }
        var end = start
        var point: Int?
        var first: Int?
        var last = start
        while end < text.count, text[end] != UInt8(ascii: "e"), text[end] != UInt8(ascii: "E") {
            switch text[end] {
            case UInt8(ascii: "."): point = end
            case UInt8(ascii: "0"): break
            default:
                if first == nil { first = end }
                last = end
            }
            end += 1
        }
        guard let first else {
            digits = UnsafeRawBufferPointer(start: nil, count: 0)
            magnitude = .small(0)
            return
        }
        digits = text.slice(first..<last + 1)
        let wholeEnd = point ?? end
        let shift = first < wholeEnd ? wholeEnd - first : wholeEnd + 1 - first
        magnitude =
            end < text.count
            ? Magnitude(exponent: text.slice(end + 1..<text.count), shiftedBy: shift) : .small(shift)
    }

    private init(isNegative: Bool, digits: UnsafeRawBufferPointer, magnitude: Magnitude) {
        self.isNegative = isNegative
        self.digits = digits
        self.magnitude = magnitude
    }

    var isZero: Bool { digits.isEmpty }

    var isInteger: Bool {
        if isZero { return true }
        switch magnitude {
        case .small(let magnitude): return magnitude >= digitCount
        case .huge(let isNegative, _): return !isNegative
        }
    }

    private var digitCount: Int { digits.contains(UInt8(ascii: ".")) ? digits.count - 1 : digits.count }

    /// Negative, zero or positive, if this number is less than, equal to or greater than the other. O(length)
    func compared(to other: DecimalNumber) -> Int {
        let sign = sign
        guard sign == other.sign else { return sign - other.sign }
        if sign == 0 { return 0 }
        let order = magnitude.compared(to: other.magnitude)
        return sign * (order != 0 ? order : comparedDigits(with: other))
    }

    private var sign: Int { isZero ? 0 : isNegative ? -1 : 1 }

    private func comparedDigits(with other: DecimalNumber) -> Int {
        var (index, otherIndex) = (0, 0)
        while true {
            if index < digits.count, digits[index] == UInt8(ascii: ".") { index += 1 }
            if otherIndex < other.digits.count, other.digits[otherIndex] == UInt8(ascii: ".") { otherIndex += 1 }
            // The last digit is not zero, so the number with more digits is the greater one.
            guard index < digits.count, otherIndex < other.digits.count else {
                return (index < digits.count ? 1 : 0) - (otherIndex < other.digits.count ? 1 : 0)
            }
            let difference = Int(digits[index]) - Int(other.digits[otherIndex])
            if difference != 0 { return difference }
            index += 1
            otherIndex += 1
        }
    }

    /// Appends the canonical text of the value: digits for an integer of up to 18 digits, otherwise digits and an exponent.
    func appendCanonical(to bytes: inout [UInt8]) {
        if isZero { return bytes.append(UInt8(ascii: "0")) }
        if isNegative { bytes.append(UInt8(ascii: "-")) }
        bytes.append(contentsOf: digits.lazy.filter { $0 != UInt8(ascii: ".") })
        switch magnitude {
        case .small(let magnitude) where magnitude <= Self.plainDigitsMax && magnitude >= digitCount:
            bytes.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: magnitude - digitCount))
        case .small(let magnitude): bytes.append(contentsOf: "e\(magnitude)".utf8)
        case .huge(let isNegative, let digits):
            bytes.append(contentsOf: isNegative ? "e-".utf8 : "e".utf8)
            bytes.append(contentsOf: digits)
        }
    }

    /// An integer of at most this many digits, without point and exponent, fits 64 bits and is its own canonical text.
    static let plainDigitsMax = 18
}

extension DecimalNumber {
    /// A number that owns its bytes, to be compared often.
    struct Stored: Sendable {
        private let isNegative: Bool
        private let digits: [UInt8]
        private let magnitude: Magnitude

        init(_ number: DecimalNumber) {
            isNegative = number.isNegative
            digits = Array(number.digits)
            magnitude = number.magnitude
        }

        func withNumber<R>(_ body: (DecimalNumber) -> R) -> R {
            digits.withUnsafeBytes { body(DecimalNumber(isNegative: isNegative, digits: $0, magnitude: magnitude)) }
        }
    }
}
