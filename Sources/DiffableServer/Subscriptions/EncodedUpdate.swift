import DiffableJSON
import DiffableProtocol
import NIOCore

/// How what is new is written for a subscriber.
enum LineForm: Hashable {
    /// As operations, in lines of at most so many bytes.
    case operations(lineLengthMax: Int)
    /// As one line, whatever its length.
    case snapshots, patches
}

/// The first page of an update, which nearly always is all, or a later one, and what is left to write after it.
///
/// A page is a line, or a part of a long one. It is made once for all who stand alike.
final class EncodedUpdate {
    let bytes: ByteWriter
    /// The same for the channels of all whose sockets do not take the whole of it.
    private(set) lazy var buffer = bytes.withUnsafeBytes { ByteBuffer(bytes: $0) }
    /// Nil when this is the end.
    let rest: UpdateRest?
    /// It names the subscription.
    let subscription: Int
    let form: LineForm
    private let method: NotificationWriter.Kind
    /// In bytes, up to the subscription's number: what follows is the same for everybody. Nil: it names none.
    private let prefixLength: Int?

    /// Makes a line, or its first page, by `write`, which says what is left when it writes no more.
    ///
    /// - Parameter capacity: what is likely to be enough, in bytes.
    init(
        _ method: NotificationWriter.Kind, to subscription: Int, _ form: LineForm, capacity: Int,
        _ write: (inout ByteWriter) -> UpdateRest?
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

    /// A page that goes on in the middle of a line.
    init(continuing bytes: ByteWriter, _ method: NotificationWriter.Kind, _ rest: UpdateRest?) {
        self.bytes = bytes
        self.rest = rest
        self.method = method
        subscription = 0
        form = method == .patch ? .patches : .snapshots
        prefixLength = nil
    }

    /// The same page for another subscription. O(1) if it is the same number, as for most clients: they have one.
    func addressed(to subscription: Int) -> EncodedUpdate {
        guard let prefixLength, subscription != self.subscription else { return self }
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
