@testable import DiffableStore

/// The contents of a host's disk after the written groups.
struct VirtualDisk {
    private var states: [Int: ListState] = [:]
    private var access: [Int: AccessRecord] = [:]
    private var windows: [Int: RequestWindow] = [:]
    private var leases: [Int: Leases] = [:]
    private var numberMax = 0

    mutating func keep(_ change: ListChange) {
        let number = change.state.number
        numberMax = max(numberMax, number)
        switch change.event {
        case .created, .stepped, .unchanged, .undeleted: states[number] = change.state
        case .advanced(let former, _):
            states[former.number] = nil
            windows[former.number] = nil
            leases[former.number] = nil
            access[number] = access.removeValue(forKey: former.number)
            states[number] = change.state
        case .deleted, .purged: (states[number], leases[number]) = (nil, nil)
        }
        if let leaseChange = change.leases, states[number] != nil {
            leases[number, default: Leases(of: change.state.name)].apply(leaseChange)
        }
        if let record = change.access { access[number] = record }
        if let result = change.result {
            windows[number, default: RequestWindow()].append(result)
            windows[number]?.markOldestWritten(RequestLimits())
        }
    }

    /// The lists that a restarted daemon finds.
    var recovered: RecoveredLists {
        var recovered = RecoveredLists()
        recovered.states = states.values.sorted { $0.number < $1.number }
        recovered.access = access
        recovered.requestWindows = windows
        recovered.leases = leases.filter { !$0.value.isEmpty }
        recovered.nextListNumber = numberMax + 1
        return recovered
    }
}
