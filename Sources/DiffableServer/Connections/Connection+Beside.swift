import DiffableJSON
import DiffableProtocol
import DiffableStore

// What a client asks that takes longer than a turn is read and carried out beside the loop. Nothing behind it is looked
// at before, so that the client finds what it changed.

extension Connection {
    /// Reads a long line.
    func decodeBeside(_ line: UnsafeRawBufferPointer) {
        let (bytes, length) = (Array(line), line.count)
        workBeside(length: length) { [limits = hub.options.limits.decoding] in
            bytes.withUnsafeBytes { DecodedRequest(line: $0, limits: limits) }
        } use: { [self] decoded in
            receive(decoded, length: length)
        }
    }

    /// Does work of this client's beside the loop. What it comes to is used even when the client has gone meanwhile, because
    /// it came before.
    ///
    /// - Parameter length: of what it is about, in bytes.
    func workBeside<Value: Sendable>(
        length: Int, _ work: @escaping @Sendable () -> Value, use: @escaping (Value) -> Void
    ) {
        session.hold()
        noteUnderway(length)
        // In items of some hundred bytes.
        hub.changes.find(size: length / 128, while: { true }, work) { [self] value in
            lengthUnderway = 0
            let effects = session.letGo()
            use(value)
            carryOut(effects)
        }
    }

    /// Nothing behind a change is read that is carried out later.
    ///
    /// - Parameter length: the memory of the change, in bytes.
    func hold(for answer: PendingAnswer, _ carrying: Carrying, length: @autoclosure () -> Int = 0) {
        guard carrying == .underway else { return }
        heldPlace = answer.place
        session.hold()
        noteUnderway(length())
    }

    /// The change whose answer this is was carried out.
    func letGo(of place: Outbox.Reservation) {
        guard heldPlace == place else { return }
        heldPlace = nil
        lengthUnderway = 0
        carryOut(session.letGo())
    }
}
