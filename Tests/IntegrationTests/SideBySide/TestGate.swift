/// Admits a limited number of tests at a time, or one alone.
///
/// Tests that need to be alone wait until there are two of them, or no other test is left: the machine idles while the last
/// other tests finish, so this happens half as often.
actor TestGate {
    private let width: Int
    private var isAlone = false
    private var inside = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []
    /// Admitted before the tests in `waiting`.
    private var waitingEarly: [CheckedContinuation<Void, Never>] = []
    private var waitingAlone: [CheckedContinuation<Void, Never>] = []
    /// The number of tests that run alone before any other.
    private var aloneNext = 0

    init(width: Int) { self.width = width }

    enum Entry {
        case early, sideBySide, alone
    }

    func enter(_ entry: Entry) async {
        await withCheckedContinuation { continuation in
            switch entry {
            case .early: waitingEarly.append(continuation)
            case .sideBySide: waiting.append(continuation)
            case .alone: waitingAlone.append(continuation)
            }
            admit()
        }
    }

    func leave() {
        inside -= 1
        isAlone = false
        admit()
    }

    private func admit() {
        if isAlone { return }
        if aloneNext == 0, waitingAlone.count > 1 || waiting.isEmpty && waitingEarly.isEmpty && inside == 0 {
            aloneNext = waitingAlone.count
        }
        if aloneNext > 0 {
            guard inside == 0 else { return }
            aloneNext -= 1
            (isAlone, inside) = (true, 1)
            return waitingAlone.removeFirst().resume()
        }
        while inside < width, let next = waitingEarly.popFirst() ?? waiting.popFirst() {
            inside += 1
            next.resume()
        }
    }
}

extension [CheckedContinuation<Void, Never>] {
    fileprivate mutating func popFirst() -> CheckedContinuation<Void, Never>? { isEmpty ? nil : removeFirst() }
}
