import DiffableProtocol
import Dispatch
import NIOCore
import Synchronization

// A daemon that hangs, or whose machine does, takes what it is sent and says nothing; a list that is quiet says nothing
// either. So whoever has heard nothing for a while asks the daemon whether it is there, which costs a line on a connection
// that nothing else happens on.

/// Who asks a daemon that says nothing whether it is there.
package enum SilenceWatch: Sendable {
    /// The connection, as long as there is one.
    case always
    /// The connection until it is greeted. Then whoever has it (`Client.checkConnection`), when somebody uses the program: one
    /// that nobody uses wakes nobody.
    case untilGreeted
}

extension Client {
    /// Asks the daemon whether it is there. Returns when it has answered, and when there is no connection to it, or no more.
    package func checkConnection() async {
        guard let connection = shared.connection else { return }
        _ = try? await connection.reply(to: .ping)
    }

    /// The daemon has not answered for `replyTimeout`: the connection to it counts as lost.
    package func giveUpConnection() { shared.connection?.giveUp() }
}

extension Connection {
    /// Asks when nothing has come for half of `replyTimeout`, and gives the connection up when nothing has come for all of it.
    func watchSilence() -> RepeatedTask? {
        guard let replyTimeout else { return nil }
        let timeout = TimeAmount(replyTimeout)
        let interval = TimeAmount.nanoseconds(max(timeout.nanoseconds / 4, 1_000_000))
        return channel.eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { [self] _ in
            let silence = silence
            if silence >= timeout {
                giveUp()
            } else if silence >= .nanoseconds(timeout.nanoseconds / 2) {
                // Nobody waits for the answer: that something comes is what counts.
                writeSoon(.ping, id: .string(Array(#""still there?""#.utf8)))
            }
        }
    }

    /// Gives the connection up when it is not greeted within `replyTimeout`. By libdispatch's timer, of which nothing is left when it
    /// is cancelled: the loop's would wake the process all the same.
    func watchGreeting() -> (any DispatchSourceTimer)? {
        guard let replyTimeout else { return nil }
        let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "greeting"))
        timer.schedule(deadline: .now() + .nanoseconds(Int(TimeAmount(replyTimeout).nanoseconds)))
        timer.setEventHandler { [self] in giveUp() }
        timer.activate()
        return timer
    }

    /// How long nothing has come, while we would have taken it.
    private var silence: TimeAmount {
        let start = quietSince.load(ordering: .relaxed)
        return start == 0 ? .zero : .now() - NIODeadline.uptimeNanoseconds(start)
    }

    /// What came is being taken: as long as that takes, nothing more is read, and so nothing can be missed.
    func noteArrival() { quietSince.store(0, ordering: .relaxed) }

    func noteQuiet() { quietSince.store(NIODeadline.now().uptimeNanoseconds, ordering: .relaxed) }

    func giveUp() {
        hasGivenUp.store(true, ordering: .relaxed)
        channel.close(promise: nil)
    }

    /// Why nothing more will come.
    var lossReason: ClientError {
        if let replyTimeout, hasGivenUp.load(ordering: .relaxed) { return .noReply(path, within: replyTimeout) }
        return .connectionLost(path)
    }
}
