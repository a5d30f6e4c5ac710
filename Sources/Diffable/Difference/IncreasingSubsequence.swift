/// Which elements can stay where they are, when an old order becomes a new one: a heaviest increasing subsequence.
///
/// `ordinals` are the elements' positions in the old order, distinct, listed in the new order; a negative one has none
/// and cannot stay. What stays keeps its order and weighs as much in all as any choice could. O(n · log n), close to
/// O(n) when little is out of order.
///
/// The algorithm is the one for longest increasing subsequences (M. L. Fredman, "On computing the length of longest
/// increasing subsequences", 1975), with weights as in G. Jacobson and K.-P. Vo, "Heaviest increasing/common
/// subsequence problems", 1992.
func heaviestIncreasingSubsequence(ordinals: [Int32], weights: [UInt32]) -> [Bool] {
    /// The ends of the best subsequences so far, ascending both in ordinal and in weight.
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
        // Ends that are further on and weigh no more can lead to nothing better.
        var beyond = position
        while beyond < ends.count && ends[beyond].weight <= weight { beyond += 1 }
        let end = (ordinal: ordinal, weight: weight, element: Int32(element))
        if beyond == position + 1 {
            ends[position] = end
        } else {
            ends.replaceSubrange(position..<beyond, with: CollectionOfOne(end))
        }
    }

    var stays = [Bool](repeating: false, count: ordinals.count)
    var element = ends.last?.element ?? -1
    while element >= 0 {
        stays[Int(element)] = true
        element = predecessors[Int(element)]
    }
    return stays
}

extension [(ordinal: Int32, weight: Int, element: Int32)] {
    /// How many ends have a smaller ordinal.
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
