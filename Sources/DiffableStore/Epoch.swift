/// Makes names for the lives of lists.
enum Epoch {
    private static let digits = Array("0123456789abcdefghijklmnopqrstuvwxyz")
    private static let length = 10

    /// Ten digits of base 36: 52 bits, so that a client never takes one life for another.
    static func random() -> String {
        String((0..<length).map { _ in digits[Int.random(in: digits.indices)] })
    }
}
