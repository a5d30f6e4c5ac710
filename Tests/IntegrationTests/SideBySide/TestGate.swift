/// Lets so many in at a time, or one alone.
///
/// Those who want to be alone wait until two of them do, or nobody else is there: the machine idles while the last of the
/// others finish, and so that happens half as often.
actor TestGate {
    private let width: Int
    private var isAlone = false
    private var inside = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []
    /// Let in before those that wait side by side.
    private var waitingEarly: [CheckedContinuation<Void, Never>] = []
    private var waitingAlone: [CheckedContinuation<Void, Never>] = []
    /// How many of those who want to be alone are let in before any other.
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
