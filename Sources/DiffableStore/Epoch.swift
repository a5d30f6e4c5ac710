enum Epoch {
    private static let digits = Array("0123456789abcdefghijklmnopqrstuvwxyz")
    private static let length = 10

    /// Ten digits of base 36, or 52 bits: enough that a client never confuses two incarnations of a list.
    static func random() -> String {
        String((0..<length).map { _ in digits[Int.random(in: digits.indices)] })
    }
}
