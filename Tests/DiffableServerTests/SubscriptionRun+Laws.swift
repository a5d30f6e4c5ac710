import DiffableProtocol
import NIOCore

@testable import DiffableServer

// What must hold of each decision, said of what the run knows itself: none of it asks the machine what it remembers.

extension SubscriptionRun {
    /// When the next group may begin that nobody asked for.
    private var earliestGroup: NIODeadline? {
        guard let interval = request.minInterval, let end = lastGroupEnd else { return nil }
        return end + .milliseconds(Int64(interval))
    }

    private var nextBookmark: NIODeadline? {
        guard let bookmark = request.bookmark, let lastLine else { return nil }
        return lastLine + .milliseconds(Int64(bookmark))
    }

    /// Whether no line came for so long that it is owed a bookmark.
    var isBookmarkDue: Bool { machine.state != .ended && nextBookmark.map { $0 <= now } ?? false }

    /// A group is written as soon as there is something new, or a view was asked for, an equal one too. It waits for
    /// `minInterval` only if nobody asked for it and the daemon does not stop, and for what is searched for.
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

    /// Who is held back is left alone until it is woken, unless its list has gone. Everybody else is looked after.
    func checkMinds() throws {
        guard machine.state == .following else { return }
        guard machine.minds(newsOf: followed?.condition) == (!isHeldBack || followed?.condition != .current) else {
            throw SubscriptionFailure(
                "\(isHeldBack ? "one that is held back" : "not every one that may be told something") is looked after")
        }
    }

    /// It is woken in time for the first of what it waits for, whatever it waits for besides.
    func checkAlarm() throws {
        guard machine.state != .ended else { return }
        for time in [nextBookmark, isHeldBack ? earliestGroup : nil] {
            guard let time else { continue }
            guard let alarm = machine.alarm, alarm <= time else { throw SubscriptionFailure("it is not woken in time") }
        }
    }

    /// One that has ended is not woken, and nothing is left of what it was about.
    func checkEnd() throws {
        guard machine.state == .ended, machine.alarm == nil, machine.rest == .nothing, machine.search == .none else {
            throw SubscriptionFailure("it has ended, and is to be woken or has something left to say")
        }
    }

    /// What is searched for is what it waits for, and nothing else.
    func checkSearch() throws {
        let expected: SubscriptionMachine.Search = search.map { $0.isFound ? .found : .running } ?? .none
        guard machine.search == expected else {
            throw SubscriptionFailure("its search is \(machine.search), and should be \(expected)")
        }
    }

    /// Who wants one group has all lines of it before the end, and nobody else ends with a group.
    func checkOnce() throws {
        guard machine.isFinishedByGroup == (group == nil && request.duration == .once) else {
            throw SubscriptionFailure("it ends with a line that is not the last, or goes on after it")
        }
    }

    /// Its audience tells it what changes only while it is within no group, owed none, and minds no time.
    func checkSteady() throws {
        guard machine.state == .following else { return }
        let mindsTime = request.minInterval != nil || request.bookmark != nil
        guard machine.isSteady == (group == nil && !isOwedGroup && !mindsTime) else {
            throw SubscriptionFailure("its audience may tell it what changes: \(machine.isSteady)")
        }
    }

    /// A state from nothing says that the list is another one when the client knew one before, and only then.
    func checkReset(isOtherLife: Bool) throws {
        guard !isOtherLife || machine.resetReason == .epoch else {
            throw SubscriptionFailure("a new life is told of as the old one")
        }
        guard hasEverKnown || machine.resetReason != .epoch else {
            throw SubscriptionFailure("the first list that the client hears of is told of as another one")
        }
    }

    /// A list that was replaced is followed on: what comes next says that it begins anew.
    func checkDeletion() throws {
        guard followed == nil || followed?.condition == .deleted else {
            throw SubscriptionFailure("a list is told to have gone that was replaced")
        }
    }
}
