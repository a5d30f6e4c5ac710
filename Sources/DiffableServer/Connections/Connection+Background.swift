import DiffableJSON
import DiffableProtocol
import DiffableStore

// Decoding and carrying out long requests in the background. Later lines of the client wait, so they see its earlier
// changes.

extension Connection {
    func decodeInBackground(_ line: UnsafeRawBufferPointer) {
        let (bytes, length) = (Array(line), line.count)
        runInBackground(length: length) { [limits = hub.options.limits.decoding] in
            bytes.withUnsafeBytes { DecodedRequest(line: $0, limits: limits) }
        } use: { [self] decoded in
            receive(decoded, length: length)
        }
    }

    /// Does work for this client in the background. The result is used even if the client has disconnected, because the
    /// request arrived before.
    /// - Parameter length: the length of the input, in bytes.
    func runInBackground<Value: Sendable>(
        length: Int, _ work: @escaping @Sendable () -> Value, use: @escaping (Value) -> Void
    ) {
        session.pauseReading()
        countBackgroundChange(length)
        // In items of about 128 bytes.
        hub.changes.compute(size: length / 128, while: { true }, work) { [self] value in
            lengthUnderway = 0
            let effects = session.resumeReadingLines()
            use(value)
            carryOut(effects)
        }
    }

    /// Stops reading lines until a change that is still in progress is carried out.
    /// - Parameter length: the memory of the change, in bytes.
    func pauseReading(for answer: PendingAnswer, _ progress: RequestProgress, length: @autoclosure () -> Int = 0) {
        guard progress == .underway else { return }
        heldPlace = answer.place
        session.pauseReading()
        countBackgroundChange(length())
    }

    /// Resumes reading after the change with this place is carried out.
    func resumeReading(after place: Outbox.Reservation) {
        guard heldPlace == place else { return }
        heldPlace = nil
        lengthUnderway = 0
        carryOut(session.resumeReadingLines())
    }
}
