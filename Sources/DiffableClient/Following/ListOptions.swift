import Diffable
import DiffableJSON
import DiffableProtocol

/// Options for following a list.
public struct ListOptions: Sendable {
    /// The view to show; nil: the whole list.
    public var view: ListView?
    /// The minimal time between two updates, from a millisecond to an hour; nil: none. Changes in between are combined.
    public var minInterval: Duration?
    /// Whether to wait for a missing list. While a deleted list is awaited, the snapshot is empty (`UpdateCause.deleted`).
    public var ifAbsent: AbsentList
    /// How new the first state must be. A loop that continues over another connection never shows an older state than before.
    public var freshness: Freshness
    /// The form of the daemon's own lines.
    package var form = Form.operations

    package typealias Form = Request.Subscribe.Form

    /// Follows the whole list, which has to exist, unless the parameters change that.
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
    fileprivate var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        return Int(seconds) * 1_000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
