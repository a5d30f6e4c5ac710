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
    public var ifAbsent = IfAbsent.isError
    /// In which form the daemon's own lines come.
    package var form = Form.operations

    /// What it means that there is no such list.
    public enum IfAbsent: Sendable {
        /// Following it fails, and ends when the list is deleted.
        case isError
        /// The first update comes when the list does. When it is deleted, an update says so (`UpdateCause.deleted`) and shows
        /// nothing, until there is another.
        case isAwaited
    }

    package enum Form: String, CaseIterable, Sendable {
        /// `reset` and `changes`.
        case operations
        /// `snapshot`, each time.
        case snapshots
        /// `snapshot` once, then `patch`.
        case patches
    }

    public init(view: ListView? = nil) { self.view = view }

    func request(_ list: ListName, since: Request.Subscribe.Since?) -> Request.Subscribe {
        Request.Subscribe(
            list: list, since: since, view: view?.view ?? View(), form: Request.Subscribe.Form(form),
            minInterval: minInterval.map(\.wholeMilliseconds),
            ifAbsent: ifAbsent == .isAwaited ? .isAwaited : .isError)
    }
}

extension Request.Subscribe.Form {
    fileprivate init(_ form: ListOptions.Form) {
        self =
            switch form {
            case .operations: .operations
            case .snapshots: .snapshots
            case .patches: .patches
            }
    }
}

extension Duration {
    /// Rounded up.
    fileprivate var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        return Int(seconds) * 1_000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
