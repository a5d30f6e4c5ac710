import DequeModule

/// Waiting elements by user. Users take turns, and each user's elements keep their order.
struct UserQueues<Element> {
    private var queues: [Int?: Deque<Element>] = [:]
    private var turns: Deque<Int?> = []

    var isEmpty: Bool { queues.isEmpty }
    var numberOfUsers: Int { turns.count }

    func hasElements(of user: Int?) -> Bool { queues[user]?.isEmpty == false }

    mutating func append(_ element: Element, of user: Int?) {
        if queues[user] == nil { turns.append(user) }
        queues[user, default: []].append(element)
    }

    /// Begins the turn of the next user.
    /// - Returns: the user, or nil inside for clients without a known user; nil outside if nobody waits. The turn lasts
    ///   until `endTurn`.
    mutating func beginTurn() -> Int?? { turns.popFirst() }

    func first(of user: Int?) -> Element? { queues[user]?.first }

    mutating func next(of user: Int?) -> Element? { queues[user]?.popFirst() }

    /// Ends the user's turn. The next one follows the turns of all other users.
    mutating func endTurn(of user: Int?) {
        if queues[user]?.isEmpty == true { queues[user] = nil } else { turns.append(user) }
    }
}
