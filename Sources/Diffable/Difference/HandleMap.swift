/// A map from handles to small numbers: an array when much is in it, a hash table when little is.
struct HandleMap {
    private static let absent = UInt32.max

    /// By handle; empty where the table serves.
    private var array: [UInt32] = []
    /// The handle in the upper half, the number in the lower; open addressing in a power of two of places, at most half
    /// of them taken. Handles come from the list and not from its users, so a multiplication is hash enough.
    private var table: [UInt64] = []
    private var count = 0

    /// For about `count` handles, all below `bound`.
    init(count: Int, bound: Int) {
        if count > bound / 16 { array = [UInt32](repeating: Self.absent, count: bound) }
    }

    subscript(handle: Handle) -> UInt32? {
        get {
            if !array.isEmpty {
                guard handle < array.count, array[Int(handle)] != Self.absent else { return nil }
                return array[Int(handle)]
            }
            if count == 0 { return nil }
            let pair = table[place(of: handle)]
            return pair == .max ? nil : UInt32(truncatingIfNeeded: pair)
        }
        set {
            guard let newValue else { preconditionFailure("nothing is taken out of a handle map") }
            if !array.isEmpty {
                array[Int(handle)] = newValue
                return
            }
            if 2 * (count + 1) > table.count { grow() }
            let place = place(of: handle)
            if table[place] == .max { count += 1 }
            table[place] = UInt64(handle) << 32 | UInt64(newValue)
        }
    }

    /// Where the handle is, or would be.
    private func place(of handle: Handle) -> Int {
        let mask = table.count - 1
        var place = Int(truncatingIfNeeded: (UInt64(handle) &* 0x9E37_79B9_7F4A_7C15) >> 32) & mask
        while table[place] != .max && UInt32(truncatingIfNeeded: table[place] >> 32) != handle {
            place = (place + 1) & mask
        }
        return place
    }

    private mutating func grow() {
        let old = table
        table = [UInt64](repeating: .max, count: max(16, 2 * old.count))
        for pair in old where pair != .max {
            table[place(of: UInt32(truncatingIfNeeded: pair >> 32))] = pair
        }
    }
}
