import Diffable

/// Chains a row of a list's journal to all rows before it.
///
/// Each value is computed from the previous row's value and all bytes of the row. A changed, missing or inserted row
/// therefore does not fit, and the last value represents the list's whole history.
struct ChecksumChain: Equatable {
    let value: Int64

    init(value: Int64) { self.value = value }

    init(begin state: ListState) {
        var sum = Checksum(1)
        sum.add(state.number)
        sum.add(state.name.description)
        sum.add(state.epoch)
        value = sum.signed
    }

    func linked(revision: Int, part: Int, notes: UnsafeRawBufferPointer, operations: UnsafeRawBufferPointer)
        -> ChecksumChain
    {
        var sum = Checksum(UInt64(bitPattern: value))
        sum.add(revision)
        sum.add(part)
        sum.add(notes)
        sum.add(operations)
        return ChecksumChain(value: sum.signed)
    }
}

/// A digest of all durable lists at the ends of their chains. Two states of the database have the same digest if they
/// have the same lists, epochs, history, number of requests with a key, access and schemas.
///
/// The digest is a sum over the lists, so a commit group updates it with the old and new shares of its own lists.
struct ListsDigest: Equatable {
    private(set) var value: UInt64 = 0

    init(value: UInt64 = 0) { self.value = value }

    mutating func add(_ list: Share) { value &+= list.value }
    mutating func remove(_ list: Share) { value &-= list.value }

    struct Share: Equatable {
        let number: Int
        let epoch: String
        var chain: ChecksumChain
        var lastResult = 0
        var access = AccessRecord()
        /// Nil for an existing list.
        var deletion: Deletion?
        /// The checksum of the schema rows; 0 for none.
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
        _ state: ListState, _ chain: ChecksumChain, lastResult: Int = 0, access: AccessRecord = AccessRecord(),
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
