import DiffableJSON

/// The answer to a request whose turn has come, when it takes long to find: what it says and its bytes are found beside
/// the loop.
final class LongAnswer {
    /// Nil until it is found.
    private(set) var line: ByteWriter?
    private var isWanted = true

    /// - Parameters:
    ///   - size: about how much work it is, in items.
    ///   - mayBegin: asked when it has had to wait for its turn; if not, it is given up.
    ///   - whenDone: called once, when it is found or given up, unless it is not wanted any more.
    init(
        size: Int, _ background: Background, mayBegin: @escaping () -> Bool,
        _ write: @escaping @Sendable () -> ByteWriter, whenDone: @escaping () -> Void
    ) {
        let isWantedStill = { [self] in
            guard isWanted else { return false }
            if mayBegin() { return true }
            whenDone()
            return false
        }
        background.find(size: size, while: isWantedStill, write) { [self] line in
            guard isWanted else { return }
            self.line = line
            whenDone()
        }
    }

    /// Nobody waits for it any more.
    func end() { isWanted = false }
}
