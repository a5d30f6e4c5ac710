extension Request {
    /// The part of a request in a line. A request that is too long for one line is sent in several, one after the other on one
    /// connection.
    package enum Part: Sendable {
        /// Without `more`: the line is the whole request.
        case whole
        /// `"more":true`: nothing happens before the last part.
        case more
        /// `"more":false`. It is explicit, so that a last part is never mistaken for a whole request.
        case last

        init(more: Bool?) { self = more.map { $0 ? .more : .last } ?? .whole }
    }

    /// The part of a change; only a `transact`, an `apply` and a `propose` have one here.
    package var part: Part {
        switch self {
        case .transact(let transact): transact.part
        case .apply(let apply): apply.part
        case .propose(let propose): propose.transaction.part
        default: .whole
        }
    }
}
