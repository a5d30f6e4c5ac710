import Diffable
import DiffableClient
import DiffableInput
import DiffableProtocol

/// Carries what happens to a list of another daemon over into a list of ours, for as long as both connections last.
///
/// A group of the source is one transaction here. A reset is applied as a difference, so that nobody who follows the mirror
/// loses their place.
actor MirrorSession {
    private let source: ListName
    private let mirror: ListName
    private let origin: MirrorSource
    private let file: MirrorPosition
    private let here: Connection
    /// Where the source was when the mirror became what it is; nil: it is to come from nothing.
    private var position: ListPosition?
    private var mirrorPosition: ListPosition
    /// The mirror is live as soon as it has come so far; nil while there is no such list.
    private var target: ListPosition?
    /// Of the source, which may be a mirror itself.
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

    /// Carries on over a connection to the source, until one of the two ends.
    func run(over there: Connection) async throws {
        let (ends, end) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingOldest(1))
        (target, sourceLiveness, failure) = (nil, nil, nil)
        let start = try await there.follow(source, since: position) { group in
            if await !self.take(group) { end.finish() }
        }
        if let start {
            target = start
            try await tellLiveness()
        } else {
            say(
                "there is no list \(quoted(source)) on the other side; it is waited for, and \(quoted(mirror)) stays as it is"
            )
        }
        for await _ in ends {}
        try Task.checkCancellation()
        throw failure ?? ClientError.cancelled
    }

    /// False when nothing more is taken.
    private func take(_ group: FollowedGroup) async -> Bool {
        do {
            try await carryOut(group)
            return true
        } catch {
            failure = failure ?? error
            return false
        }
    }

    private func carryOut(_ group: FollowedGroup) async throws {
        if failure != nil { return }
        switch group {
        case .reset(let operations, let position, let cause):
            let state = try Snapshot().applying(operations)
            let outcome = try await here.apply(
                mirror, state.sections, content: .some(state.content),
                delivery: cause == .reload ? .reload : .difference)
            moved(to: position, outcome)
            if target?.epoch != position.epoch { target = position }
        case .changes(let operations, let revision):
            guard let epoch = position?.epoch else { break }
            do {
                let outcome = try await here.transact(mirror, operations)
                moved(to: ListPosition(epoch: epoch, revision: revision), outcome)
            } catch {
                // It is not what it was taken for: the whole list is to come.
                if case .refused = error { position = nil }
                throw error
            }
        case .liveness(let liveness): sourceLiveness = liveness
        case .listDeleted:
            say(
                "\(quoted(source)) was deleted on the other side; what it was stays, and the next one of that name is waited for"
            )
            (target, position) = (nil, nil)
        case .end(let reason): throw reason
        }
        try await tellLiveness()
    }

    private func moved(to position: ListPosition, _ outcome: Outcome) {
        self.position = position
        mirrorPosition.revision = outcome.revision
        file.save(position, of: origin, mirrorAt: mirrorPosition)
    }

    /// What its followers hear: it is live when it is as far as the source was when it was asked, and the source is live.
    private func tellLiveness() async throws {
        var isLiveNow = false
        if let target, let position, position.epoch == target.epoch, position.revision >= target.revision {
            isLiveNow = sourceLiveness == nil || sourceLiveness == .live
        }
        if isLiveNow != isLive { try await setLive(isLiveNow) }
    }

    private func setLive(_ isLiveNow: Bool) async throws {
        let isNews = isLiveNow != isLive
        isLive = isLiveNow
        if isNews { say("\(quoted(mirror)) is \(isLiveNow ? "live" : "not live")") }
        try await here.setLive(isLiveNow, mirror)
    }

    /// The link is lost: the last state stays, and says so.
    func loseLink() async throws { try await setLive(false) }
}
