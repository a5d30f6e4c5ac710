/// A position in the log of a shared list: the number of batches up to it, and the chain that identifies them.
package struct SharedPosition: Sendable, Equatable {
    package let batch: Int
    package let chain: SharedChain

    package init(batch: Int, chain: SharedChain) {
        self.batch = batch
        self.chain = chain
    }

    /// The position of a list that has not been changed yet.
    package static let beginning = SharedPosition(batch: 0, chain: .beginning)

    func following(_ text: [UInt8]) -> SharedPosition {
        SharedPosition(batch: batch + 1, chain: chain.linked(text))
    }
}

/// A digest of all batches of a log up to one of them. Two logs with the same value at a position have the same batches
/// up to there, because each text contains a random id and the previous value.
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

    /// 16 hexadecimal digits; empty at the beginning.
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
    /// The representation in the database: `12 00f3a1b2c3d4e5f6`.
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
