import Diffable
import DiffableJSON

/// Tells one request for a change from another that has the same key.
///
/// It is the checksum of what is asked, in the canonical form of operations: how a line was written (white space, the
/// order of members, how a string was escaped) does not count, and neither does `ifRevision`, which is asked only once.
/// Two requests that differ have the same digest once in 2^64 pairs, and only if somebody gave two requests one key;
/// then the second is taken for the first. Nobody but that client is touched by it, so nobody can gain by forging one.
struct RequestDigest {
    private var sum: Int64 = 0
    private var piece = ByteWriter()

    /// In bytes; a request is never held encoded as a whole.
    private static let pieceLengthMax = 64 << 10

    /// - Parameter method: with what is asked beside the operations, if anything.
    private init(_ method: String) {
        piece.append(Array(method.utf8))
    }

    static func of(transact operations: [Operation]) -> Int64 {
        var digest = RequestDigest("transact ")
        digest.append(operations)
        return digest.sum
    }

    static func of(apply target: Target, delivery: Delivery) -> Int64 {
        let delivery = delivery == .reload ? "reload " : ""
        switch target {
        case .whole(let sections):
            var digest = RequestDigest("apply \(delivery)")
            digest.append([.appendSections(sections)])
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

    static func of(undoTo revision: Int?) -> Int64 {
        var digest = RequestDigest("undo \(revision.map(String.init) ?? "")")
        digest.close()
        return digest.sum
    }

    private mutating func append(_ operations: [Operation]) {
        var writer = OperationsWriter(operations, expansion: .asSaid)
        while writer.write(into: &piece, upTo: Self.pieceLengthMax) == .more { close() }
        close()
    }

    /// Each piece begins with the sum of those before it.
    private mutating func close() {
        sum = piece.withUnsafeBytes { checksum($0) }
        piece.removeAll()
        withUnsafeBytes(of: sum.littleEndian) { piece.append(Array($0)) }
    }
}
