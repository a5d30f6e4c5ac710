import Diffable

/// Chains a row of a list's journal to every row before it.
///
/// Each row has a value that is computed from the value of the row before and from all bytes of the row. So a row that
/// was altered, left out or inserted does not fit, and the last value stands for the list's whole past.
struct Chain: Equatable {
    let value: Int64

    init(value: Int64) { self.value = value }

    /// The beginning of a new list's chain.
    init(begin state: ListState) {
        var sum = Checksum(1)
        sum.add(state.number)
        sum.add(state.name.description)
        sum.add(state.epoch)
        value = sum.signed
    }

    func linked(revision: Int, part: Int, notes: UnsafeRawBufferPointer, operations: UnsafeRawBufferPointer) -> Chain {
        var sum = Checksum(UInt64(bitPattern: value))
        sum.add(revision)
        sum.add(part)
        sum.add(notes)
        sum.add(operations)
        return Chain(value: sum.signed)
    }
}

/// One number for all durable lists at the ends of their chains. Two states of the database have the same number when
/// they have the same lists, in the same epochs, with the same past, as many requests with a key, the same access and the
/// same schemas.
///
/// It is a sum over the lists, so a group updates it by the old and new shares of its own lists.
struct ListsDigest: Equatable {
    private(set) var value: UInt64 = 0

    init(value: UInt64 = 0) { self.value = value }

    mutating func add(_ list: Share) { value &+= list.value }
    mutating func remove(_ list: Share) { value &-= list.value }

    /// One list's share of the sum.
    struct Share: Equatable {
        let number: Int
        let epoch: String
        var chain: Chain
        /// The number of the last request with a key.
        var lastResult = 0
        var access = AccessRecord()
        /// Nil for a list that is there.
        var deletion: Deletion?
        /// Of the rows of its schemas; 0 for none.
        var schemas: Int64 = 0

        fileprivate var value: UInt64 {
            var sum = Checksum(2)
            sum.add(number)
            sum.add(epoch)
            sum.add(chain.value)
            sum.add(lastResult)
            access.add(to: &sum)
            deletion?.add(to: &sum)
            if schemas != 0 { sum.add(schemas) }
            return sum.value
        }
    }
}

extension ListsDigest.Share {
    init(
        _ state: ListState, _ chain: Chain, lastResult: Int = 0, access: AccessRecord = AccessRecord(),
        deletion: Deletion? = nil, schemas: Int64 = 0
    ) {
        self.init(
            number: state.number, epoch: state.epoch, chain: chain, lastResult: lastResult, access: access,
            deletion: deletion, schemas: schemas)
    }

    func deleted(_ deletion: Deletion?) -> ListsDigest.Share {
        var share = self
        share.deletion = deletion
        return share
    }
}
