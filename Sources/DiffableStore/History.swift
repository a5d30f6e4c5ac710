import DequeModule
import Diffable

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// The states that a list went through, as far back as they are kept.
///
/// A state is a value that shares with the next one what did not change, so a step costs about what changed in it.
struct History: Sendable {
    /// Oldest first, without a gap: each leads to the next one's `before`, and the last one to the current state.
    private var steps: Deque<Step> = []
    /// What the steps take together, in bytes (`Revision.length`).
    private var length = 0

    private struct Step: Sendable {
        let before: ListState
        let revision: Revision
    }

    /// Takes note of one more step.
    mutating func append(_ before: ListState, _ revision: Revision) {
        steps.append(Step(before: before, revision: revision))
        length += revision.length
    }

    /// Lets go of what is older or more than is kept.
    mutating func trim(_ limits: HistoryLimits, now: Timestamp) {
        while let oldest = steps.first?.revision, length > limits.lengthMax || limits.isPast(oldest.time, now: now) {
            length -= oldest.length
            steps.removeFirst()
        }
    }

    /// When the newest step was made.
    var newestTime: Timestamp? { steps.last?.revision.time }

    /// The state before some step.
    func state(at revision: Int) -> ListState? {
        guard let first = steps.first else { return nil }
        let index = revision - first.before.revision
        return steps.indices.contains(index) ? steps[index].before : nil
    }

    /// All that are kept, oldest first.
    var states: [ListState] { steps.map(\.before) }

    /// The oldest revision whose state is kept; nil when there is none before the current one.
    var oldest: Int? { steps.first?.before.revision }

    /// Newest first.
    var revisions: some Sequence<Revision> { steps.reversed().lazy.map(\.revision) }
}

/// How far back states are kept, in memory and, of a durable list, on disk.
package struct HistoryLimits: Sendable, Equatable {
    /// About how much one list's past may take, in bytes; 0 keeps none. A small change takes 1 to 7 KiB.
    package var lengthMax: Int
    /// In seconds.
    package var ageMax: Int

    package init(lengthMax: Int = 4 << 20, ageMax: Int = 86_400) {
        self.lengthMax = lengthMax
        self.ageMax = ageMax
    }

    func isPast(_ time: Timestamp, now: Timestamp) -> Bool { now.milliseconds - time.milliseconds > ageMax * 1_000 }
}

/// What is remembered of one transaction.
package struct Revision: Sendable, Equatable {
    /// The revision that it led to.
    package let number: Int
    /// When it was made.
    package let time: Timestamp
    /// How many operations its canonical difference has.
    package let operations: Int
    /// About how many bytes it takes to keep the state before (`Snapshot.lengthKept`).
    let length: Int
    /// Who made it; nil if that is not known.
    package let origin: Origin?
}

/// Who asks for a change, as history tells it.
package struct Origin: Sendable, Equatable {
    /// What the client calls itself.
    package var name: String?
    package var processID: Int?
    package var userID: Int?

    package init(name: String? = nil, processID: Int? = nil, userID: Int? = nil) {
        self.name = name
        self.processID = processID
        self.userID = userID
    }
}

/// A time of the day, as the machine's clock has it.
package struct Timestamp: Sendable, Equatable {
    /// Since 1970 began.
    package let milliseconds: Int

    package init(milliseconds: Int) { self.milliseconds = milliseconds }

    package static func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: time.tv_sec * 1_000 + time.tv_nsec / 1_000_000)
    }
}
