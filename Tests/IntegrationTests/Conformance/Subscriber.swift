import Diffable
import Foundation
import TestSupport

/// Follows a list through all incarnations of the daemon, and notes its updates.
struct Subscriber {
    let participant: Participant
    let habit: Habit

    enum Habit: Sendable {
        case reads
        /// Spends this many microseconds on each update.
        case dawdles(microseconds: UInt32)
        /// Sometimes stops reading for this long.
        case stalls(microseconds: UInt32)
        /// Disconnects after at most this many updates, and resumes.
        case leaves(groupsMax: Int)
        /// Sometimes changes its view, and disconnects too.
        case turns(views: [String])
    }

    /// Returns when it sees an item `end`.
    func run(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var replay = Replay()
        var view = participant.view
        var auditor: Link?
        while var link = try participant.connect() {
            guard try link.subscribe(from: replay, view: view) else { continue }
            var groupsLeft = Int.max
            switch habit {
            case .leaves(let max): groupsLeft = Int.random(in: 1...max, using: &random)
            case .turns: groupsLeft = Int.random(in: 1...200, using: &random)
            case .reads, .dawdles, .stalls: break
            }
            while groupsLeft > 0, try link.group() != nil {
                groupsLeft -= 1
                if link.replay.snapshot.contains("end" as ItemID) { return }
                if random.next() % 16 == 0 { try audit(link, by: &auditor) }
                pause(&random)
                if case .turns(let views) = habit, random.next() % 4 == 0,
                    let next = views.randomElement(using: &random)
                {
                    guard try link.setView(next) else { break }
                    // It does not disconnect before it has seen its requested view.
                    groupsLeft = max(groupsLeft, 1)
                }
            }
            replay = link.isBroken ? Replay() : link.replay
            view = link.isBroken ? participant.view : link.viewShown
        }
    }

    /// Requests the copy's revision on a connection of its own, because updates may arrive on this one at any time.
    private func audit(_ link: Link, by auditor: inout Link?) throws {
        if auditor?.life != link.life { auditor = try participant.connect() }
        guard var asking = auditor, let revision = link.replay.revision else { return }
        if let state = try participant.state(on: &asking, at: revision, view: link.viewShown),
            state.name.epoch == link.replay.epoch
        {
            participant.note(.audited(state), in: asking.life)
        } else {
            auditor = nil
        }
    }

    private func pause(_ random: inout SplitMix64) {
        switch habit {
        case .reads, .leaves, .turns: break
        case .dawdles(let microseconds): usleep(microseconds)
        case .stalls(let microseconds): if random.next() % 100 == 0 { usleep(microseconds) }
        }
    }
}
