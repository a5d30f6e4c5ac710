import Diffable
import DiffableStore

/// The earlier states of lists that one user's slow clients keep in memory.
///
/// States of one list share memory. A state counts as the memory that it does not share with the next newer state. So
/// the total is close to the real memory, and dropping the oldest state frees about as much as it counts.
struct RetainedStates: Sendable {
    /// Identifies a state. States whose origins differ only in the revision form a chain.
    struct Origin: Hashable, Sendable {
        var list: ListName
        var epoch: String
        var rows: Rows
        var revision: Int
    }

    enum Rows: Hashable, Sendable {
        case all
        /// Rows of the audience with this number.
        case ofAudience(Int)
        /// Rows in a reply on the connection with this number.
        case ofReply(Int)
    }

    /// The newest state of a chain, and the list's newest state. Empty if the list was deleted.
    struct Newest: Sendable {
        var rows = Snapshot()
        var list = Snapshot()
    }

    private struct StateSequence: Sendable {
        let newest: Newest
        var states: [(revision: Int, snapshot: Snapshot, holder: Int)] = []
    }

    private var chains: [Origin: StateSequence] = [:]
    private(set) var count = 0
    /// The number of items in all states.
    private(set) var size = 0

    /// - Parameters:
    ///   - holder: the number of the subscription or reply that keeps the state.
    ///   - newest: called for the first state of a chain.
    mutating func add(_ snapshot: Snapshot, _ origin: Origin, of holder: Int, newest: () -> Newest) {
        var key = origin
        key.revision = 0
        count += 1
        size += snapshot.numberOfItems
        chains[key, default: StateSequence(newest: newest())].states.append((origin.revision, snapshot, holder))
    }

    /// Measures the states, which can take long.
    func measured() -> Measured {
        Measured(
            chains: chains.map { key, chain in
                let states = chain.states.sorted { $0.revision < $1.revision }
                return states.indices.map { position in
                    let next = position + 1 < states.count ? states[position + 1].snapshot : chain.newest.rows
                    let list = key.rows == .all ? nil : chain.newest.list
                    return Measured.State(
                        holder: states[position].holder,
                        length: states[position].snapshot.lengthUnshared(with: next, rowsOf: list))
                }
            })
    }

    /// The memory of each state, in bytes.
    struct Measured: Sendable {
        struct State: Sendable {
            var holder: Int
            var length: Int
        }

        /// The states of each chain, oldest first.
        var chains: [[State]]

        var length: Int { chains.reduce(0) { $0 + Self.length(of: $1) } }

        private static func length(of chain: [State]) -> Int { chain.reduce(0) { $0 + $1.length } }

        /// Drops the oldest states of the longest chains until the others fit.
        /// - Returns: the holders that have to drop their state.
        mutating func shorten(to lengthMax: Int) -> [Int] {
            var length = length
            if length <= lengthMax { return [] }
            let sorted = chains.map { (length: Self.length(of: $0), states: $0) }.sorted { $0.length > $1.length }
            var holders: [Int] = []
            chains = sorted.map { chain in
                let gone = chain.states.prefix { state in
                    if length <= lengthMax { return false }
                    length -= state.length
                    return true
                }
                holders += gone.map(\.holder)
                return Array(chain.states.dropFirst(gone.count))
            }
            return holders
        }
    }
}
