import DiffableProtocol
import NIOCore

@testable import DiffableServer

// Invariants of each decision, stated with the run's own knowledge. None of them reads the machine's memory.

extension SubscriptionRun {
    /// The earliest time of the next unrequested update.
    private var earliestGroup: NIODeadline? {
        guard let interval = request.minInterval, let end = lastGroupEnd else { return nil }
        return end + .milliseconds(Int64(interval))
    }

    private var nextBookmark: NIODeadline? {
        guard let bookmark = request.bookmark, let lastLine else { return nil }
        return lastLine + .milliseconds(Int64(bookmark))
    }

    /// Whether the subscription was silent for long enough to owe a bookmark.
    var isBookmarkDue: Bool { machine.state != .ended && nextBookmark.map { $0 <= now } ?? false }

    /// Checks that an update is written as soon as there are changes, or when a view was requested, even an equal one. It waits
    /// for `minInterval` only if it was not requested and the daemon is not stopping, and for a search.
    func check(_ decision: SubscriptionMachine.Decision, isSame: Bool) throws {
        guard !isSame || isOwedGroup else {
            guard decision == .nothing else { throw SubscriptionFailure("a group is written without anything new") }
            return
        }
        let isEarly = earliestGroup.map { now < $0 } ?? false
        isHeldBack = isEarly && !isOwedGroup && !isStopping
        let expected =
            isHeldBack || search?.isFound == false
            ? SubscriptionMachine.Decision.nothing : .write(mayBeNothing: !isOwedGroup)
        guard decision == expected else {
            throw SubscriptionFailure(
                "it decides \(decision), not \(expected); too early: \(isEarly), another view: \(isOwedGroup), the daemon "
                    + "stops: \(isStopping)")
        }
    }

    /// Checks that a held-back subscription is left alone until its alarm unless its list is deleted, and that all others are
    /// served.
    func checkMinds() throws {
        guard machine.state == .following else { return }
        guard machine.needsServing(for: followed?.condition) == (!isHeldBack || followed?.condition != .current) else {
            throw SubscriptionFailure(
                "\(isHeldBack ? "one that is held back" : "not every one that may be told something") is looked after")
        }
    }

    /// Checks that the alarm is early enough for every wait.
    func checkAlarm() throws {
        guard machine.state != .ended else { return }
        for time in [nextBookmark, isHeldBack ? earliestGroup : nil] {
            guard let time else { continue }
            guard let alarm = machine.alarm, alarm <= time else { throw SubscriptionFailure("it is not woken in time") }
        }
    }

    /// Checks that an ended subscription has no alarm and no state.
    func checkEnd() throws {
        guard machine.state == .ended, machine.alarm == nil, machine.rest == .nothing, machine.search == .none else {
            throw SubscriptionFailure("it has ended, and is to be woken or has something left to say")
        }
    }

    /// Checks that the machine waits for exactly the running search.
    func checkSearch() throws {
        let expected: SubscriptionMachine.Search = search.map { $0.isFound ? .found : .running } ?? .none
        guard machine.search == expected else {
            throw SubscriptionFailure("its search is \(machine.search), and should be \(expected)")
        }
    }

    /// Checks that a subscription for one update gets all its lines before the end, and that no other ends with an update.
    func checkOnce() throws {
        guard machine.isFinishedByGroup == (group == nil && request.duration == .once) else {
            throw SubscriptionFailure("it ends with a line that is not the last, or goes on after it")
        }
    }

    /// Checks that the audience reports changes only while the subscription has no open or pending update and no timer.
    func checkSteady() throws {
        guard machine.state == .following else { return }
        let mindsTime = request.minInterval != nil || request.bookmark != nil
        guard machine.isSteady == (group == nil && !isOwedGroup && !mindsTime) else {
            throw SubscriptionFailure("its audience may tell it what changes: \(machine.isSteady)")
        }
    }

    /// Checks that a full state reports a new incarnation exactly if the client knew another one.
    func checkReset(isOtherLife: Bool) throws {
        guard !isOtherLife || machine.resetReason == .epoch else {
            throw SubscriptionFailure("a new life is told of as the old one")
        }
        guard hasEverKnown || machine.resetReason != .epoch else {
            throw SubscriptionFailure("the first list that the client hears of is told of as another one")
        }
    }

    /// Checks that a replaced list is followed, and that the next update reports the new incarnation.
    func checkDeletion() throws {
        guard followed == nil || followed?.condition == .deleted else {
            throw SubscriptionFailure("a list is told to have gone that was replaced")
        }
    }
}
