/// A place in the log of a shared list: how many batches there are up to it, and the chain that shows which they are.
package struct SharedPosition: Sendable, Equatable {
    package let batch: Int
    package let chain: SharedChain

    package init(batch: Int, chain: SharedChain) {
        self.batch = batch
        self.chain = chain
    }

    /// Of a list that nobody has changed yet.
    package static let beginning = SharedPosition(batch: 0, chain: .beginning)

    /// The place after one more batch.
    func following(_ text: [UInt8]) -> SharedPosition {
        SharedPosition(batch: batch + 1, chain: chain.linked(text))
    }
}

/// A number for all batches of a log up to one of them. Two logs that have the same number at a place have the same batches
/// up to there: each text has a random id in it, and the number of the one before.
package struct SharedChain: Sendable, Equatable {
    let value: UInt64

    init(value: UInt64) { self.value = value }

    package static let beginning = SharedChain(value: 0)

    func linked(_ text: [UInt8]) -> SharedChain {
        var sum = Checksum(value)
        text.withUnsafeBytes { sum.add($0) }
        return SharedChain(value: sum.value)
    }
}

extension SharedChain: CustomStringConvertible {
    private static let digits = 16

    /// 16 hexadecimal digits; none at the beginning.
    package var description: String {
        if self == .beginning { return "" }
        let text = String(value, radix: 16)
        return String(repeating: "0", count: Self.digits - text.count) + text
    }

    package init?(_ text: String) {
        if text.isEmpty {
            self = .beginning
            return
        }
        guard text.utf8.count == Self.digits, text.utf8.first != UInt8(ascii: "+"), let value = UInt64(text, radix: 16)
        else { return nil }
        self.init(value: value)
    }
}

extension SharedPosition: CustomStringConvertible {
    /// As the database has it: `12 00f3a1b2c3d4e5f6`.
    package var description: String { "\(batch) \(chain)" }

    init?(_ text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2, let batch = Int(parts[0]), (0...Int.boundedMax).contains(batch),
            let chain = SharedChain(String(parts[1]))
        else {
            return nil
        }
        self.init(batch: batch, chain: chain)
    }
}
