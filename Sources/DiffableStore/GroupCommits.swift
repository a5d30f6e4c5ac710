import Diffable

/// The commits of one group: at most one for each incarnation of a list.
struct GroupCommits {
    private(set) var commits: [Commit] = []
    /// The index in `commits` of a list's newest incarnation. Empty while there is only one commit, which is the usual case.
    private var positions: [ListName: Int] = [:]

    mutating func append(_ commit: Commit) {
        if commits.count == 1 { positions[commits[0].list] = 0 }
        guard let position = positions[commit.list], let joined = Commit(joining: commits[position], commit) else {
            if !commits.isEmpty { positions[commit.list] = commits.count }
            commits.append(commit)
            return
        }
        commits[position] = joined
    }
}

extension Commit {
    /// Joins two commits of one list. Nil if they belong to different incarnations.
    fileprivate init?(joining first: Commit, _ second: Commit) {
        guard first.state.epoch == second.state.epoch else { return nil }
        // An undeleted list has the same epoch as before its deletion.
        if case .created = second.event { return nil }
        switch (first.event, second.event) {
        case (let event, .unchanged): self.init(event: event, state: second.state)
        case (.unchanged, let event): self.init(event: event, state: second.state)
        case (.changed(let from, _), .changed):
            self.init(event: .changed(from: from, transaction: nil), state: second.state)
        case (.created, .changed): self.init(event: .created, state: second.state)
        default: self.init(event: second.event, state: second.state)
        }
        changesAccess = first.changesAccess || second.changesAccess
        forgotten = first.forgotten + second.forgotten
    }
}
