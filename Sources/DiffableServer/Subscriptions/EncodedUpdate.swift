import DiffableJSON
import DiffableProtocol

/// How what is new is written for a subscriber.
enum LineForm: Hashable {
    /// As operations, in lines of at most so many bytes.
    case operations(lineLengthMax: Int)
    /// As one line, whatever its length.
    case snapshots, patches
}

/// The first line of a group, or the first page of it, which nearly always is all, and what is left to write after it.
///
/// It is made once for all who stand alike.
final class EncodedUpdate {
    let bytes: ByteWriter
    /// Nil when the line is all.
    let rest: Rest?
    /// It names the subscription.
    let subscription: Int
    let form: LineForm
    private let method: NotificationWriter.Kind
    /// In bytes, up to the subscription's number: what follows is the same for everybody.
    private let prefixLength: Int

    // Indirect, because nearly always there is none.
    indirect enum Rest {
        /// Other lines.
        case lines(NotificationWriter)
        /// More of this line.
        case pages(LongLine)
    }

    /// Makes the line by `write`, which says what is left when it writes no more.
    ///
    /// - Parameter capacity: what is likely to be enough, in bytes.
    init(
        _ method: NotificationWriter.Kind, to subscription: Int, _ form: LineForm, capacity: Int,
        _ write: (inout ByteWriter) -> Rest?
    ) {
        self.method = method
        self.subscription = subscription
        self.form = form
        var writer = ByteWriter()
        writer.reserve(capacity)
        NotificationWriter.writePrefix(method, subscription: subscription, into: &writer)
        prefixLength = writer.count
        rest = write(&writer)
        bytes = writer
    }

    /// The same line for another subscription. O(1) if it is the same number, as for most clients: they have one.
    func addressed(to subscription: Int) -> EncodedUpdate {
        if subscription == self.subscription { return self }
        return EncodedUpdate(method, to: subscription, form, capacity: bytes.count + 16) { writer in
            bytes.withUnsafeBytes { writer.append(UnsafeRawBufferPointer(rebasing: $0[prefixLength...])) }
            return rest
        }
    }
}

extension Audience {
    /// What decides what a subscriber gets next, but for its number.
    struct Standing: Equatable {
        var start: Start
        var form: LineForm
    }

    enum Start: Equatable {
        /// What was sent last, and the revision that it was sent for.
        case sent(RenderedView.ID, Int)
        /// From nothing; why is said in the `reset`.
        case nothing(NotificationWriter.ResetReason)
        /// A whole state is the same for all who have one already.
        case anything
    }
}
