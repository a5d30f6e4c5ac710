import Diffable
import DiffableJSON
import DiffableProtocol

/// How a list is followed.
public struct ListOptions: Sendable {
    /// What of the list is seen, and in which order; nil: all of it.
    public var view: ListView?
    /// At least so much time lies between two updates, from a millisecond to an hour; nil: none needs to. What happens
    /// meanwhile is one update.
    public var minInterval: Duration?
    /// While a list is awaited that was deleted, nothing is shown (`UpdateCause.deleted`).
    public var ifAbsent: AbsentList
    /// How new the state is to be that is shown first. Where a loop goes on over another connection, nothing older is shown
    /// than before in any case.
    public var freshness: Freshness
    /// In which form the daemon's own lines come.
    package var form = Form.operations

    package typealias Form = Request.Subscribe.Form

    /// Follows the whole list, which has to exist, unless the parameters say otherwise.
    public init(
        view: ListView? = nil, minInterval: Duration? = nil, ifAbsent: AbsentList = .isError,
        freshness: Freshness = .any
    ) {
        self.view = view
        self.minInterval = minInterval
        self.ifAbsent = ifAbsent
        self.freshness = freshness
    }

    func request(_ list: ListName, since: Request.Subscribe.Since?) -> Request.Subscribe {
        Request.Subscribe(
            list: list, since: since, view: view?.view ?? View(), form: form,
            minInterval: minInterval.map(\.wholeMilliseconds),
            ifAbsent: ifAbsent, freshness: since == nil ? freshness : .any)
    }
}

extension Duration {
    /// Rounded up.
    fileprivate var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        return Int(seconds) * 1_000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
