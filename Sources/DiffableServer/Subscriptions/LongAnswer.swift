import DiffableJSON

/// The answer to a request whose turn has come, if it takes long to compute: its content and its bytes are made in the
/// background.
final class LongAnswer {
    /// The answer; nil until it is computed.
    private(set) var line: ByteWriter?
    private var isWanted = true

    /// - Parameters:
    ///   - size: the approximate amount of work, in items.
    ///   - mayBegin: called if the work had to wait; if it returns false, the work is given up.
    ///   - whenDone: called once, when the answer is computed or given up, unless it is no longer wanted.
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
        background.compute(size: size, while: isWantedStill, write) { [self] line in
            guard isWanted else { return }
            self.line = line
            whenDone()
        }
    }

    /// Gives the answer up, because no request waits for it.
    func end() { isWanted = false }
}
