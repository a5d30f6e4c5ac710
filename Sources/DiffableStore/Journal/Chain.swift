import Diffable

/// What binds a row of a list's journal to every row before it.
///
/// Each row carries the value that comes of the row before and of all that stands in it. So a row that was altered,
/// left out or put in from elsewhere does not fit, and the value of the last one stands for the list's whole past.
struct Chain: Equatable {
    let value: Int64

    init(value: Int64) { self.value = value }

    /// Where the chain of a new list begins.
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

/// One number for all durable lists, each at the end of its chain: two states of the database have the same one when
/// they have the same lists, in the same epochs, with the same past, as many requests with a key, and the same people who
/// may see and change them.
///
/// It is a sum over the lists, so that a group changes it by what the group's lists were and are.
struct ListsDigest: Equatable {
    private(set) var value: UInt64 = 0

    init(value: UInt64 = 0) { self.value = value }

    mutating func add(_ list: Share) { value &+= list.value }
    mutating func remove(_ list: Share) { value &-= list.value }

    /// What one list is of it.
    struct Share: Equatable {
        let number: Int
        let epoch: String
        var chain: Chain
        /// The number of the last request with a key.
        var lastResult = 0
        var access = AccessRecord()

        fileprivate var value: UInt64 {
            var sum = Checksum(2)
            sum.add(number)
            sum.add(epoch)
            sum.add(chain.value)
            sum.add(lastResult)
            access.add(to: &sum)
            return sum.value
        }
    }
}

extension ListsDigest.Share {
    init(_ state: ListState, _ chain: Chain, lastResult: Int = 0, access: AccessRecord = AccessRecord()) {
        self.init(
            number: state.number, epoch: state.epoch, chain: chain, lastResult: lastResult, access: access)
    }
}
