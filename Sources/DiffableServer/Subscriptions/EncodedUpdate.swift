import DiffableJSON
import DiffableProtocol
import NIOCore

/// The form in which a subscriber gets an update.
enum LineForm: Hashable {
    /// As operations, in lines of at most this number of bytes.
    case operations(lineLengthMax: Int)
    /// As one line of any length.
    case snapshots, patches
}

/// The first page of an update, which is nearly always the only one, or a later page; and the rest to write after it.
///
/// A page is a line, or a part of a long one. It is made once for all subscribers in the same state.
final class EncodedUpdate {
    let bytes: ByteWriter
    /// The same bytes, for the channels of subscribers whose sockets do not take the whole page.
    private(set) lazy var buffer = bytes.withUnsafeBytes { ByteBuffer(bytes: $0) }
    /// The rest of the update; nil at its end.
    let rest: UpdateRemainder?
    /// The number of the subscription that the page names.
    let subscription: Int
    let form: LineForm
    private let method: NotificationWriter.Kind
    /// Bytes before the end of the subscription's number: the bytes after it are the same for all subscribers. Nil if
    /// the page names no subscription.
    private let prefixLength: Int?

    /// Makes a line, or its first page, with `write`, which returns the rest that it did not write.
    ///
    /// - Parameter capacity: the expected length, in bytes.
    init(
        _ method: NotificationWriter.Kind, to subscription: Int, _ form: LineForm, capacity: Int,
        _ write: (inout ByteWriter) -> UpdateRemainder?
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

    /// Makes a page that continues in the middle of a line.
    init(continuing bytes: ByteWriter, _ method: NotificationWriter.Kind, _ rest: UpdateRemainder?) {
        self.bytes = bytes
        self.rest = rest
        self.method = method
        subscription = 0
        form = method == .patch ? .patches : .snapshots
        prefixLength = nil
    }

    /// Returns the same page for another subscription. O(1) if the number is the same, as for most clients, which have
    /// one subscription.
    func addressed(to subscription: Int) -> EncodedUpdate {
        guard let prefixLength, subscription != self.subscription else { return self }
        return EncodedUpdate(method, to: subscription, form, capacity: bytes.count + 16) { writer in
            bytes.withUnsafeBytes { writer.append(UnsafeRawBufferPointer(rebasing: $0[prefixLength...])) }
            return rest
        }
    }
}

extension Audience {
    /// The inputs that determine a subscriber's next update, except the subscription's number.
    struct UpdateKey: Equatable {
        var start: Start
        var form: LineForm
    }

    enum Start: Equatable {
        /// The view that was sent last, and the revision that it was sent for.
        case sent(RenderedView.ID, Int)
        /// No state was sent; the `reset` gives the reason.
        case nothing(NotificationWriter.ResetReason)
        /// Any sent state: a complete snapshot is the same for all of them.
        case anything
    }
}
