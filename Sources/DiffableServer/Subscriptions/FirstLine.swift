import DiffableJSON
import DiffableProtocol

/// The first line of a group, which nearly always is the only one, and what is left to write after it.
///
/// It is made once for all who stand alike.
struct FirstLine {
    private(set) var bytes: ByteWriter
    /// Nil when the line is all.
    let rest: NotificationWriter?
    /// It names the subscription.
    private(set) var subscription: Int
    let lineLengthMax: Int
    private let method: NotificationWriter.Kind
    /// In bytes, up to the subscription's number: what follows is the same for everybody.
    private var prefixLength: Int

    /// Makes the line by `write`, which says what is left when it writes no more.
    ///
    /// - Parameter capacity: what is likely to be enough, in bytes.
    init(
        _ method: NotificationWriter.Kind, to subscription: Int, lineLengthMax: Int, capacity: Int,
        _ write: (inout ByteWriter) -> NotificationWriter?
    ) {
        self.method = method
        self.subscription = subscription
        self.lineLengthMax = lineLengthMax
        var writer = ByteWriter()
        writer.reserve(capacity)
        NotificationWriter.writePrefix(method, subscription: subscription, into: &writer)
        prefixLength = writer.count
        rest = write(&writer)
        bytes = writer
    }

    /// The same line for another subscription. O(1) if it is the same number, as for most clients: they have one.
    func addressed(to subscription: Int) -> FirstLine {
        if subscription == self.subscription { return self }
        var writer = ByteWriter()
        writer.reserve(bytes.count + 16)
        NotificationWriter.writePrefix(method, subscription: subscription, into: &writer)
        var line = self
        line.subscription = subscription
        line.prefixLength = writer.count
        bytes.withUnsafeBytes { writer.append(UnsafeRawBufferPointer(rebasing: $0[prefixLength...])) }
        line.bytes = writer
        return line
    }
}
