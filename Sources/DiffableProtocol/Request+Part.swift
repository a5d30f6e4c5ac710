extension Request {
    /// Which part of a request a line is. A request that is too long for one line comes in several, one after the other
    /// on one connection.
    package enum Part: Sendable {
        /// The line says nothing of parts: it is all there is.
        case whole
        /// `"more":true`: nothing happens before the last part.
        case more
        /// `"more":false`. It is said, so that a last part is never taken for a whole request.
        case last

        init(more: Bool?) { self = more.map { $0 ? .more : .last } ?? .whole }
    }

    /// Which part of a change the request is; only a `transact`, an `apply` and a `propose` say so here.
    package var part: Part {
        switch self {
        case .transact(let transact): transact.part
        case .apply(let apply): apply.part
        case .propose(let propose): propose.transaction.part
        default: .whole
        }
    }
}
