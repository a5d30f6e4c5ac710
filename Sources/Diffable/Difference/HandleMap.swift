/// A map from handles to small numbers: an array when much is in it, a dictionary when little is.
struct HandleMap {
    private static let absent = UInt32.max

    private var sparse: [Handle: UInt32] = [:]
    /// Empty where the dictionary serves.
    private var dense: [UInt32] = []

    /// For about `count` handles, all below `bound`.
    init(count: Int, bound: Int) {
        if count > bound / 16 { dense = [UInt32](repeating: Self.absent, count: bound) }
    }

    subscript(handle: Handle) -> UInt32? {
        get {
            if dense.isEmpty { return sparse[handle] }
            guard handle < dense.count, dense[Int(handle)] != Self.absent else { return nil }
            return dense[Int(handle)]
        }
        set {
            if dense.isEmpty {
                sparse[handle] = newValue
            } else {
                dense[Int(handle)] = newValue ?? Self.absent
            }
        }
    }
}
