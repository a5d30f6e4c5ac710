import Diffable

extension RequestKey {
    /// 128 random bits, so that no two clients ever make the same key.
    public static func random() -> RequestKey {
        let words = (0..<2).map { _ in String(UInt64.random(in: 0 ... .max), radix: 36) }
        return RequestKey(stringLiteral: words.joined(separator: "-"))
    }
}
