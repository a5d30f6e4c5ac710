import DequeModule
import HeapModule

/// Pieces of work that wait, by user.
///
/// Users take turns. The next piece of a user is its shortest one. A piece that has been passed `timesPassedMax` times
/// comes first, but never two such pieces in a row.
///
/// `enqueue` takes O(log n) for n waiting pieces of the user, and `take` takes O(log n + users).
struct FairQueue<Piece> {
    /// How many pieces of the same user may be taken before a piece that has waited longer.
    static var timesPassedMax: Int { 8 }

    private var queues: [Int?: Queue] = [:]
    /// The users with waiting pieces, in the order of their turns.
    private var turns: Deque<Int?> = []

    var count: Int { queues.values.reduce(0) { $0 + $1.count } }

    func hasPieces(of user: Int?) -> Bool { queues[user] != nil }

    mutating func enqueue(_ piece: Piece, size: Int, of user: Int?) {
        if queues[user] == nil { turns.append(user) }
        queues[user, default: Queue()].enqueue(piece, size: size)
    }

    /// Takes the next piece of the next user.
    /// - Parameters:
    ///   - sizeMax: users whose shortest piece is longer are left out.
    ///   - busy: users that are left out.
    mutating func take(sizeMax: Int = .max, except busy: Set<Int?> = []) -> (piece: Piece, user: Int?)? {
        for position in turns.indices where !busy.contains(turns[position]) {
            let user = turns[position]
            guard let piece = queues[user]?.take(sizeMax: sizeMax) else { continue }
            turns.remove(at: position)
            if queues[user]?.count == 0 { queues[user] = nil } else { turns.append(user) }
            return (piece, user)
        }
        return nil
    }

    /// Removes pieces. O(n log n)
    mutating func removeAll(where isUnwanted: (Piece) -> Bool) {
        for user in turns {
            queues[user]?.removeAll(where: isUnwanted)
            if queues[user]?.count == 0 { queues[user] = nil }
        }
        turns = turns.filter { queues[$0] != nil }
    }

    /// The waiting pieces of one user. A piece is in both collections until it is taken from one of them; the other
    /// drops it later.
    private struct Queue {
        private var bySize = Heap<WaitingPiece>()
        private var byAge: Deque<WaitingPiece> = []
        private(set) var count = 0
        private var appended = 0
        private var taken = 0
        private var wasAged = false

        mutating func enqueue(_ piece: Piece, size: Int) {
            appended += 1
            count += 1
            let waiting = WaitingPiece(piece, size: size, number: appended, takenBefore: taken)
            bySize.insert(waiting)
            byAge.append(waiting)
        }

        mutating func take(sizeMax: Int) -> Piece? {
            while let first = byAge.first, first.piece == nil { byAge.removeFirst() }
            while let first = bySize.min, first.piece == nil { bySize.removeMin() }
            guard let oldest = byAge.first, let shortest = bySize.min, shortest.size <= sizeMax else { return nil }
            let isAged = !wasAged && taken - oldest.takenBefore >= FairQueue.timesPassedMax && oldest.size <= sizeMax
            wasAged = isAged
            taken += 1
            count -= 1
            let next = isAged ? oldest : shortest
            defer { next.piece = nil }
            if bySize.count > 2 * count + 16 {
                bySize = Heap(bySize.unordered.filter { $0.piece != nil && $0 !== next })
            }
            return next.piece
        }

        mutating func removeAll(where isUnwanted: (Piece) -> Bool) {
            byAge.removeAll { $0.piece.map(isUnwanted) ?? true }
            bySize = Heap(byAge)
            count = byAge.count
        }
    }

    private final class WaitingPiece: Comparable {
        /// Nil after it was taken.
        var piece: Piece?
        let size: Int
        private let number: Int
        /// How many pieces were taken before this one was appended.
        let takenBefore: Int

        init(_ piece: Piece, size: Int, number: Int, takenBefore: Int) {
            self.piece = piece
            self.size = size
            self.number = number
            self.takenBefore = takenBefore
        }

        static func < (first: WaitingPiece, second: WaitingPiece) -> Bool {
            (first.size, first.number) < (second.size, second.number)
        }

        static func == (first: WaitingPiece, second: WaitingPiece) -> Bool { first === second }
    }
}
