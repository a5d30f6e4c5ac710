import Diffable
import DiffableClient
import DiffableInput
import DiffableProtocol

/// Copies the changes of another daemon's list to a local list, as long as both connections last. An update of the source is one
/// transaction here. A reset is applied as a diff, so that followers of the mirror keep their place.
actor MirrorSession {
    private let source: ListName
    private let mirror: ListName
    private let origin: MirrorSource
    private let file: MirrorPosition
    private let here: Connection
    /// The source's position that the mirror matches; nil to start from an empty list.
    private var position: ListPosition?
    private var mirrorPosition: ListPosition
    /// The position at which the mirror becomes live; nil while the list is missing.
    private var target: ListPosition?
    /// The liveness of the source, which may be a mirror itself.
    private var sourceLiveness: Liveness?
    private var isLive = false
    private var failure: (any Error)?

    init(
        of source: ListName, as mirror: ListName, _ origin: MirrorSource, over here: Connection,
        at mirrorPosition: ListPosition, _ file: MirrorPosition
    ) {
        self.source = source
        self.mirror = mirror
        self.origin = origin
        self.here = here
        self.mirrorPosition = mirrorPosition
        self.file = file
        position = file.source(of: origin, mirrorAt: mirrorPosition)
    }

    /// Copies over a connection to the source, until one of the two connections ends.
    func run(over there: Connection) async throws {
        let (ends, end) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingOldest(1))
        (target, sourceLiveness, failure) = (nil, nil, nil)
        // The limit of a change for the local daemon, with room for members that only the source sends.
        let lengthMax = (try await here.limit("transactionLengthMax") ?? 1 << 28) + (1 << 20)
        let start = try await there.follow(source, since: position, groupLengthMax: lengthMax) { group in
            if await !self.receive(group) { end.finish() }
        }
        if let start {
            target = start
            try await reportLiveness()
        } else {
            printMessage(
                "there is no list \(quoted(source)) on the other side, or the user there may not see it; waiting for it, and the "
                    + "mirror \(quoted(mirror)) is unchanged"
            )
        }
        for await _ in ends {}
        try Task.checkCancellation()
        throw failure ?? ClientError.cancelled
    }

    private func receive(_ group: FollowedUpdate) async -> Bool {
        do {
            try await carryOut(group)
            return true
        } catch {
            failure = failure ?? error
            return false
        }
    }

    private func carryOut(_ group: FollowedUpdate) async throws {
        if failure != nil { return }
        switch group {
        case .reset(let operations, let position, let cause):
            let state = try Snapshot().applying(operations)
            let outcome = try await here.apply(
                mirror, state.sections, content: .some(state.content),
                delivery: cause == .reload ? .reload : .difference)
            recordPosition(position, outcome)
            if target?.epoch != position.epoch { target = position }
        case .changes(let operations, let revision):
            guard let epoch = position?.epoch else { break }
            do {
                let outcome = try await here.transact(mirror, operations)
                recordPosition(ListPosition(epoch: epoch, revision: revision), outcome)
            } catch {
                // The mirror is not at the expected position, so the whole list is needed.
                if case .refused = error { position = nil }
                throw error
            }
        case .liveness(let liveness): sourceLiveness = liveness
        case .listDeleted:
            printMessage(
                "the source \(quoted(source)) of the mirror \(quoted(mirror)) was deleted on the other daemon; the mirror keeps its "
                    + "last state until a list of that name is created there")
            (target, position) = (nil, nil)
        case .end(let reason): throw reason
        }
        try await reportLiveness()
    }

    private func recordPosition(_ position: ListPosition, _ outcome: Outcome) {
        self.position = position
        mirrorPosition.revision = outcome.revision
        file.save(position, of: origin, mirrorAt: mirrorPosition)
    }

    /// Tells followers whether the mirror is live: it has reached the source's position at the start, and the source is live.
    private func reportLiveness() async throws {
        var isLiveNow = false
        if let target, let position, position.epoch == target.epoch, position.revision >= target.revision {
            isLiveNow = sourceLiveness == nil || sourceLiveness == .live
        }
        if isLiveNow != isLive { try await setLive(isLiveNow) }
    }

    private func setLive(_ isLiveNow: Bool) async throws {
        let isNews = isLiveNow != isLive
        isLive = isLiveNow
        if isNews {
            printMessage(
                "the mirror \(quoted(mirror)) is "
                    + (isLiveNow ? "live" : "not live: it keeps the last state received from its source"))
        }
        try await here.setLive(isLiveNow, mirror)
    }

    /// Marks the last state as not live, because the link is lost.
    func loseLink() async throws { try await setLive(false) }
}
