import Diffable
import DiffableJSON

/// A digest of a request for a change. It detects that a request key is reused for a different request.
///
/// The digest is a 64-bit checksum of the canonical form of the operations. It does not depend on how the line was
/// written (white space, order of members, escapes) or on `ifRevision`, which only counts the first time. If a client
/// sends two different requests with one key, they collide with probability 2^-64, and the second is then treated as a
/// repetition of the first. That harms only this client, so forging a collision gains nothing.
struct RequestDigest {
    private var sum: Int64 = 0
    private var piece = ByteWriter()

    /// In bytes. Bounds the memory, because a request is never encoded in one piece.
    private static let pieceLengthMax = 64 << 10

    /// - Parameter method: the method and any parameters other than the operations.
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

    /// Folds the piece into the sum. Each piece starts with the sum of the pieces before it.
    private mutating func close() {
        sum = piece.withUnsafeBytes { checksum($0) }
        piece.removeAll()
        withUnsafeBytes(of: sum.littleEndian) { piece.append(Array($0)) }
    }
}
