import Diffable

/// The path of changes that undo and redo follow. It leaves out changes that were undone before another change was made.
///
/// Each revision has a *position* on the path. The position of an undo or a redo is `UndoStep.to`; the position of any
/// other change is its own revision. The position before a change belongs to the revision before it. So history alone
/// determines the path, across clients and restarts.
struct UndoPath {
    let head: Int
    /// The oldest revision whose state is kept.
    let oldest: Int
    /// Undos and redos, by the revision that each made.
    let steps: [Int: UndoStep]

    var position: Int { position(at: head) }

    private func position(at revision: Int) -> Int {
        // History may have lost the step that made the oldest revision. The next step names its position too.
        steps[revision]?.to ?? (revision == oldest ? steps[revision + 1]?.from : nil) ?? revision
    }

    /// The newest kept revision with the state of a position. Its items have the latest requests to redraw.
    func revision(at position: Int) -> Int? {
        var newest = position >= oldest ? position : nil
        if self.position(at: oldest) == position { newest = max(newest ?? oldest, oldest) }
        for (revision, step) in steps where step.to == position && revision >= oldest {
            newest = max(newest ?? revision, revision)
        }
        return newest
    }

    private func isKept(_ position: Int) -> Bool { position >= oldest || revision(at: position) != nil }

    /// The position that an undo of this change leads to. Nil if unknown.
    private func positionBefore(_ position: Int) -> Int? {
        guard position > 0 else { return nil }
        let revision = position - 1
        if revision >= oldest { return self.position(at: revision) }
        // The revision before is out of history. It still has the right state if `position` is a true position.
        let isPosition = position >= oldest || steps.values.contains { $0.from == position || $0.to == position }
        return isPosition ? revision : nil
    }

    /// The position after an undo of up to `countMax` changes, and the number of changes it undoes.
    func positionAfterUndo(_ countMax: Int) -> (position: Int, count: Int) {
        var (position, count) = (position, 0)
        while count < countMax {
            if let next = positionBefore(position), isKept(next) {
                position = next
            } else if count == 0, let step = steps[head], step.from < step.to, isKept(step.from) {
                // The states in between are lost, if there are any. The state before the redo is kept.
                position = step.from
            } else {
                break
            }
            count += 1
        }
        return (position, count)
    }

    /// The position after a redo of up to `countMax` changes, and the number of changes it redoes.
    func positionAfterRedo(_ countMax: Int) -> (position: Int, count: Int) {
        let positions = undone.suffix(countMax)
        return (positions.first ?? position, positions.count)
    }

    /// The changes that can be redone, newest first.
    private var undone: [Int] {
        var undone: [Int] = []
        var next: Int? = newest
        while let position = next, position > self.position {
            undone.append(position)
            next = positionBefore(position)
        }
        if next == position { return undone }
        // The states in between are lost, if there are any. The state before the undo is kept.
        guard let step = steps[head], step.isUndo, let last = undone.firstIndex(of: step.from) else { return [] }
        return Array(undone[...last])
    }

    /// The step that restores a revision. Nil if the revision is not on the path.
    func step(to revision: Int) -> UndoStep? {
        let target = position(at: revision)
        var next: Int? = newest
        while let position = next, position > target { next = positionBefore(position) }
        return next == target ? UndoStep(from: position, to: target) : nil
    }

    /// The newest position on the path: the last change before the undos and redos at the end.
    private var newest: Int {
        var revision = head
        while revision > oldest, steps[revision] != nil { revision -= 1 }
        return position(at: revision)
    }
}

extension [ListOperation] {
    /// Whether they only ask clients to redraw, so that nothing can be undone.
    var onlyAskToDrawAgain: Bool {
        allSatisfy { operation in
            switch operation {
            case .reloadSections(let reloads): reloads.allSatisfy { $0.content == nil }
            case .reconfigureItems(let changes): changes.allSatisfy { $0.content == nil }
            case .reloadItems(let reloads): reloads.allSatisfy { $0.kind == nil && $0.content == nil }
            default: false
            }
        }
    }
}
