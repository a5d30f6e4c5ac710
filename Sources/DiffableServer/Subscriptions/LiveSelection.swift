import Diffable

/// What a selection shows of a list, kept up to date for all the views that begin with it.
///
/// What matches is one selection, made from the list; what is not folded of it is another, made from the first one. So
/// views that differ in their expansion share what matches, and those that differ in their window share both.
final class LiveSelection {
    let key: Key
    /// What it selects from; nil: the list itself.
    let source: LiveSelection?
    private let selection: Selection
    private(set) var snapshot: Snapshot
    /// The list's step that was followed last, and what came of it.
    private var last: (of: Step, Step)?
    /// Audiences and selections that use it.
    var users = 0

    /// What makes two selections of one list the same.
    struct Key: Hashable {
        var matchingText: [UInt8]
        var expansion: Selection.Expansion
    }

    init(_ key: Key, _ selection: Selection, of source: LiveSelection?, showing snapshot: Snapshot) {
        self.key = key
        self.source = source
        self.selection = selection
        self.snapshot = snapshot
    }

    /// Goes along with the list, however often it is asked to. O(log² n) for each item that changed.
    func follow(_ step: Step) -> Step {
        if let last, last.of === step { return last.1 }
        let sourceStep = source?.follow(step) ?? step
        let old = snapshot
        snapshot = selection.advance(old, to: sourceStep.new, by: sourceStep.operations)
        let own = Step(from: old, to: snapshot)
        last = (step, own)
        return own
    }

    /// What it shows of another state of the list, for as much as that differs from the one it follows.
    func shown(of list: Snapshot, besides current: Snapshot) -> Snapshot {
        let other = source?.shown(of: list, besides: current) ?? list
        let own = source?.snapshot ?? current
        return selection.advance(snapshot, to: other, by: other.difference(from: own))
    }

    /// What it would show with another expansion.
    func shown(with expansion: Selection.Expansion, of source: Snapshot) -> Snapshot {
        Selection(expansion).advance(snapshot, of: source, from: key.expansion)
    }
}
