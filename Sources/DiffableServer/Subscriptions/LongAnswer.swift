import DiffableJSON

/// The answer to a request whose turn has come, when it takes long to find: what it says and its bytes are found beside
/// the loop.
final class LongAnswer {
    /// Nil until it is found.
    private(set) var line: ByteWriter?
    private var isWanted = true

    /// - Parameters:
    ///   - size: about how much work it is, in items.
    ///   - whenFound: called once, unless it is not wanted any more.
    init(
        size: Int, _ background: Background, _ write: @escaping @Sendable () -> ByteWriter,
        whenFound: @escaping () -> Void
    ) {
        background.find(size: size, while: { [self] in isWanted }, write) { [self] line in
            guard isWanted else { return }
            self.line = line
            whenFound()
        }
    }

    /// Nobody waits for it any more.
    func end() { isWanted = false }
}
