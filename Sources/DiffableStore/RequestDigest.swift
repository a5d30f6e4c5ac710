import Diffable
import DiffableJSON

/// Distinguishes a request for a change from another one with the same key.
///
/// It is the checksum of the request in the canonical form of operations. How the line was written (white space, the
/// order of members, escapes) does not count, and neither does `ifRevision`, which only counts the first time. Two
/// different requests have the same digest once in 2^64 pairs, and only if somebody gave them one key; then the second
/// is taken for the first. That harms only the client that did it, so nobody gains by forging one.
struct RequestDigest {
    private var sum: Int64 = 0
    private var piece = ByteWriter()

    /// In bytes. A request is never encoded as a whole.
    private static let pieceLengthMax = 64 << 10

    /// - Parameter method: with what is asked beside the operations, if anything.
    private init(_ method: String) {
        piece.append(Array(method.utf8))
    }

    static func of(transact operations: [ListOperation]) -> Int64 {
        var digest = RequestDigest("transact ")
        digest.append(operations)
        return digest.sum
    }

    static func of(apply target: Target, delivery: Delivery) -> Int64 {
        let delivery = delivery == .reload ? "reload " : ""
        switch target {
        case .whole(let list):
            var digest = RequestDigest("apply \(delivery)")
            digest.append((list.content.map { [.reconfigureList($0)] } ?? []) + [.appendSections(list.sections)])
            return digest.sum
        case .section(let section, let items):
            var digest = RequestDigest("apply \(delivery)\(section) ")
            digest.append([.appendItems(items, to: .section(section))])
            return digest.sum
        case .operations(let operations, let section):
            var digest = RequestDigest("apply \(delivery)\(section.map { "\($0) " } ?? "")")
            digest.append(operations)
            return digest.sum
        }
    }

    static func of(undo target: UndoTarget) -> Int64 {
        let request =
            switch target {
            case .back(1): "undo "
            case .back(let count): "undo back \(count)"
            case .forward(let count): "redo \(count)"
            case .revision(let revision): "undo \(revision)"
            }
        var digest = RequestDigest(request)
        digest.close()
        return digest.sum
    }

    private mutating func append(_ operations: [ListOperation]) {
        var writer = OperationsWriter(operations, expansion: .asSaid)
        while writer.write(into: &piece, upTo: Self.pieceLengthMax) == .more { close() }
        close()
    }

    /// Each piece continues the sum of those before it.
    private mutating func close() {
        sum = piece.withUnsafeBytes { checksum($0) }
        piece.removeAll()
        withUnsafeBytes(of: sum.littleEndian) { piece.append(Array($0)) }
    }
}
