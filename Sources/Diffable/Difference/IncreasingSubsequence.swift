// The elements that can stay in place when an old order becomes a new one.
//
// `ordinals` are the positions of the elements in the old order, listed in the new order. They are distinct. An element
// with a negative ordinal was not in the old order and cannot stay. The elements that stay keep their order. Costs O(n
// · log n), and close to O(n) if little is out of order.

/// A longest increasing subsequence: the largest possible number of elements stays. After M. L. Fredman, "On computing
/// the length of longest increasing subsequences", 1975.
func longestIncreasingSubsequence(ordinals: [Int32]) -> [Bool] {
    // The memory is not zeroed, because nothing is read before it is written.
    withUnsafeTemporaryAllocation(of: Int32.self, capacity: 3 * ordinals.count) { memory in
        var ends = SubsequenceEnds(memory, count: ordinals.count)
        ordinals.withUnsafeBufferPointer { ordinals in
            var element = 0
            while element < ordinals.count {
                let ordinal = ordinals[element]
                if !ends.isBelowLastEnd(ordinal) {
                    ends.record(ordinal, of: element, atLeast: ends.count)
                    element += 1
                } else if element + 4 <= ordinals.count, ends.isBelowLastEnd(ordinals[element + 1]) {
                    // If the elements are out of order, searching for four at once takes little longer than for one,
                    // because the searches do not depend on each other. Elements noted in between only make ends
                    // smaller, so the results remain lower bounds.
                    let four = (ordinal, ordinals[element + 1], ordinals[element + 2], ordinals[element + 3])
                    let smaller = lowerBounds(of: four, in: ends.ordinals, count: ends.count)
                    ends.record(four.0, of: element, atLeast: smaller.0)
                    ends.record(four.1, of: element + 1, atLeast: smaller.1)
                    ends.record(four.2, of: element + 2, atLeast: smaller.2)
                    ends.record(four.3, of: element + 3, atLeast: smaller.3)
                    element += 4
                } else {
                    let smaller = lowerBound(of: ordinal, in: ends.ordinals, count: ends.count)
                    ends.record(ordinal, of: element, atLeast: smaller)
                    element += 1
                }
            }
        }
        return staying(
            of: ordinals.count, from: ends.count > 0 ? ends.elements[ends.count - 1] : -1,
            UnsafeBufferPointer(ends.predecessors))
    }
}

private struct SubsequenceEnds {
    /// By length: the smallest ordinal that a subsequence of this length ends with, and the element that has it.
    let ordinals: UnsafeMutableBufferPointer<Int32>
    let elements: UnsafeMutableBufferPointer<Int32>
    /// By element: the previous element of its subsequence.
    let predecessors: UnsafeMutableBufferPointer<Int32>
    /// The length of the longest subsequence.
    private(set) var count = 0

    init(_ memory: UnsafeMutableBufferPointer<Int32>, count: Int) {
        ordinals = UnsafeMutableBufferPointer(rebasing: memory[..<count])
        elements = UnsafeMutableBufferPointer(rebasing: memory[count..<2 * count])
        predecessors = UnsafeMutableBufferPointer(rebasing: memory[(2 * count)...])
    }

    /// Whether the ordinal is smaller than the last end, and not negative.
    @inline(__always)
    func isBelowLastEnd(_ ordinal: Int32) -> Bool { count > 0 && ordinal >= 0 && ordinal < ordinals[count - 1] }

    /// Records an element in the best subsequences.
    /// - Parameter smaller: a lower bound of the number of smaller ends.
    @inline(__always)
    mutating func record(_ ordinal: Int32, of element: Int, atLeast smaller: Int) {
        if ordinal < 0 { return }
        var position = smaller
        while position < count && ordinals[position] < ordinal { position += 1 }
        predecessors[element] = position > 0 ? elements[position - 1] : -1
        ordinals[position] = ordinal
        elements[position] = Int32(truncatingIfNeeded: element)
        if position == count { count += 1 }
    }
}

/// The number of ends among the first `count` that are smaller.
private func lowerBound(of ordinal: Int32, in ends: UnsafeMutableBufferPointer<Int32>, count: Int) -> Int {
    var low = 0
    var rest = count
    while rest > 0 {
        let half = (rest &+ 1) >> 1
        advance(&low, by: half, to: ordinal, in: ends)
        rest &-= half
    }
    return low
}

/// Finds the lower bounds of four ordinals together.
private func lowerBounds(
    of ordinals: (Int32, Int32, Int32, Int32), in ends: UnsafeMutableBufferPointer<Int32>, count: Int
) -> (Int, Int, Int, Int) {
    var low = (0, 0, 0, 0)
    var rest = count
    while rest > 0 {
        let half = (rest &+ 1) >> 1
        advance(&low.0, by: half, to: ordinals.0, in: ends)
        advance(&low.1, by: half, to: ordinals.1, in: ends)
        advance(&low.2, by: half, to: ordinals.2, in: ends)
        advance(&low.3, by: half, to: ordinals.3, in: ends)
        rest &-= half
    }
    return low
}

/// One step of a binary search. It selects the half without a branch, because with a random order the CPU would mispredict
/// every other branch. It uses a shift, because the compiler turns a conditional expression or a mask into branches.
@inline(__always)
private func advance(_ low: inout Int, by half: Int, to ordinal: Int32, in ends: UnsafeMutableBufferPointer<Int32>) {
    // The sign of the difference determines the shift: 32 if the end is not smaller, 0 if it is.
    let notSmaller = (ordinal &- 1 &- ends[low &+ half &- 1]) >> 26 & 32
    low &+= half &>> Int(notSmaller)
}

/// A heaviest increasing subsequence: the elements that stay have the largest possible total weight. After G. Jacobson
/// and K.-P. Vo, "Heaviest increasing/common subsequence problems", 1992.
package func heaviestIncreasingSubsequence(ordinals: [Int32], weights: [UInt32]) -> [Bool] {
    // The ends of the best subsequences so far, ascending in ordinal and in weight.
    var ends: [(ordinal: Int32, weight: Int, element: Int32)] = []
    var predecessors = [Int32](repeating: -1, count: ordinals.count)

    for element in ordinals.indices where ordinals[element] >= 0 {
        let ordinal = ordinals[element]
        let position = ends.lowerBound(of: ordinal)
        var weight = Int(weights[element])
        if position > 0 {
            weight += ends[position - 1].weight
            predecessors[element] = ends[position - 1].element
        }
        // Ends with a larger ordinal and no larger weight cannot lead to a better subsequence.
        var beyond = position
        while beyond < ends.count && ends[beyond].weight <= weight { beyond += 1 }
        let end = (ordinal: ordinal, weight: weight, element: Int32(element))
        if beyond == position + 1 {
            ends[position] = end
        } else if position == ends.count {
            ends.append(end)
        } else {
            ends.replaceSubrange(position..<beyond, with: CollectionOfOne(end))
        }
    }
    return predecessors.withUnsafeBufferPointer { staying(of: ordinals.count, from: ends.last?.element ?? -1, $0) }
}

/// Marks the last element that stays, and all before it in its subsequence.
private func staying(of count: Int, from last: Int32, _ predecessors: UnsafeBufferPointer<Int32>) -> [Bool] {
    var stays = [Bool](repeating: false, count: count)
    stays.withUnsafeMutableBufferPointer { stays in
        var element = last
        while element >= 0 {
            stays[Int(element)] = true
            element = predecessors[Int(element)]
        }
    }
    return stays
}

extension [(ordinal: Int32, weight: Int, element: Int32)] {
    fileprivate func lowerBound(of ordinal: Int32) -> Int {
        guard let last, last.ordinal >= ordinal else { return count }
        var low = 0
        var high = count - 1
        while low < high {
            let middle = (low + high) / 2
            if self[middle].ordinal < ordinal { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
