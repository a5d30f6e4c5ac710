/// A map from handles to small numbers. It stores a few pairs inline, more in a hash table, and many in an array.
struct HandleMap {
    private static let absent = UInt32.max
    private static let fewMax = 8

    /// An upper bound; all handles are smaller.
    private let bound: Int
    private var count = 0
    /// The pairs before a table is needed: the handle in the upper half, the number in the lower half.
    private var few = InlineArray<8, UInt64>(repeating: .max)
    /// A hash table of such pairs with open addressing. Its size is a power of two, and it is at most half full. A
    /// multiplication suffices as a hash, because users cannot choose handles.
    private var table: [UInt64] = []
    /// The numbers by handle. Empty while a table takes less memory.
    private var array: [UInt32] = []

    /// - Parameters:
    ///   - count: the expected number of handles.
    ///   - bound: larger than all handles.
    init(count: Int, bound: Int) {
        self.bound = bound
        if needsArray(count) {
            array = [UInt32](repeating: Self.absent, count: bound)
        } else if count > Self.fewMax {
            table = [UInt64](repeating: .max, count: 1 << (Int.bitWidth - (2 * count).leadingZeroBitCount))
        }
    }

    /// Maps many handles to 0, 1, 2 and so on. None of them may be in the map. A `nil` uses up a number.
    mutating func number(_ handles: some RandomAccessCollection<Handle?>) {
        guard !array.isEmpty else {
            for (number, handle) in handles.enumerated() {
                if let handle { self[handle] = UInt32(number) }
            }
            return
        }
        array.withUnsafeMutableBufferPointer { array in
            for (number, handle) in handles.enumerated() {
                if let handle { array[Int(handle)] = UInt32(truncatingIfNeeded: number) }
            }
        }
    }

    private func needsArray(_ count: Int) -> Bool { count > max(bound / 16, Self.fewMax) }

    subscript(handle: Handle) -> UInt32? {
        @inline(__always) get {
            if !array.isEmpty {
                let number = array.withUnsafeBufferPointer { handle < $0.count ? $0[Int(handle)] : Self.absent }
                return number == Self.absent ? nil : number
            }
            return count == 0 ? nil : lookUp(handle)
        }
        @inline(__always) set {
            guard let newValue else { preconditionFailure("nothing is taken out of a handle map") }
            if array.isEmpty {
                insert(handle, newValue)
            } else {
                array.withUnsafeMutableBufferPointer { $0[Int(handle)] = newValue }
            }
        }
    }

    private mutating func insert(_ handle: Handle, _ newValue: UInt32) {
        let pair = UInt64(handle) << 32 | UInt64(newValue)
        if table.isEmpty {
            for place in 0..<count where few[place] >> 32 == handle {
                few[place] = pair
                return
            }
            if count < Self.fewMax {
                few[count] = pair
                count += 1
                return
            }
        }
        if 2 * (count + 1) > table.count {
            grow()
            self[handle] = newValue
            return
        }
        let place = tableIndex(of: handle)
        if table[place] == .max { count += 1 }
        table[place] = pair
    }

    private func lookUp(_ handle: Handle) -> UInt32? {
        if !table.isEmpty {
            let pair = table[tableIndex(of: handle)]
            return pair == .max ? nil : UInt32(truncatingIfNeeded: pair)
        }
        for place in 0..<count where few[place] >> 32 == handle { return UInt32(truncatingIfNeeded: few[place]) }
        return nil
    }

    /// The position of the handle in the table, or the free position for it.
    private func tableIndex(of handle: Handle) -> Int {
        let mask = table.count - 1
        var place = Int(truncatingIfNeeded: (UInt64(handle) &* 0x9E37_79B9_7F4A_7C15) >> 32) & mask
        while table[place] != .max && UInt32(truncatingIfNeeded: table[place] >> 32) != handle {
            place = (place + 1) & mask
        }
        return place
    }

    private mutating func grow() {
        if needsArray(count + 1) {
            array = [UInt32](repeating: Self.absent, count: bound)
            forEachPair { array[Int($0 >> 32)] = UInt32(truncatingIfNeeded: $0) }
            table = []
        } else {
            var larger = self
            larger.table = [UInt64](repeating: .max, count: max(4 * Self.fewMax, 2 * table.count))
            forEachPair { larger.table[larger.tableIndex(of: UInt32(truncatingIfNeeded: $0 >> 32))] = $0 }
            self = larger
        }
    }

    private func forEachPair(_ body: (UInt64) -> Void) {
        if table.isEmpty {
            for place in 0..<count { body(few[place]) }
        } else {
            for pair in table where pair != .max { body(pair) }
        }
    }
}
