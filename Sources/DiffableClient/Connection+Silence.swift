import DiffableProtocol
import Dispatch
import NIOCore
import Synchronization

// A daemon that hangs, or whose machine hangs, accepts requests and sends nothing; a list without changes sends nothing either.
// So after a time of silence the client asks whether the daemon is alive. That costs one line on an idle connection.

package enum SilenceWatch: Sendable {
    /// The connection, as long as it exists.
    case always
    /// The connection until the greeting. After that, only `Client.checkConnection` checks, when the user does something, so an
    /// unattended program wakes nothing.
    case untilGreeted
}

extension Client {
    /// Asks the daemon whether it is alive. Returns after its reply, and if the client is not connected or loses the connection.
    package func checkConnection() async {
        guard let connection = shared.connection else { return }
        _ = try? await connection.reply(to: .ping)
    }

    package func giveUpConnection() { shared.connection?.giveUp() }
}

extension Connection {
    /// Asks the daemon after half of `replyTimeout` without data, and gives up the connection after all of it.
    func watchSilence() -> RepeatedTask? {
        guard let replyTimeout else { return nil }
        let timeout = TimeAmount(replyTimeout)
        let interval = TimeAmount.nanoseconds(max(timeout.nanoseconds / 4, 1_000_000))
        return channel.eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { [self] _ in
            let silence = silence
            if silence >= timeout {
                giveUp()
            } else if silence >= .nanoseconds(timeout.nanoseconds / 2) {
                // The reply is not waited for: any data shows that the daemon is alive.
                writeSoon(.ping, id: .string(Array(#""still there?""#.utf8)))
            }
        }
    }

    /// Gives up the connection without a greeting within `replyTimeout`. A timer of libdispatch leaves nothing after it is
    /// cancelled, while one of the event loop would still wake the process.
    func watchGreeting() -> (any DispatchSourceTimer)? {
        guard let replyTimeout else { return nil }
        let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "greeting"))
        timer.schedule(deadline: .now() + .nanoseconds(Int(TimeAmount(replyTimeout).nanoseconds)))
        timer.setEventHandler { [self] in giveUp() }
        timer.activate()
        return timer
    }

    /// The time without data while the client was ready to read.
    private var silence: TimeAmount {
        let start = quietSince.load(ordering: .relaxed)
        return start == 0 ? .zero : .now() - NIODeadline.uptimeNanoseconds(start)
    }

    /// Received data is being handled. Nothing is read until that is done, so silence does not count.
    func noteArrival() { quietSince.store(0, ordering: .relaxed) }

    func noteQuiet() { quietSince.store(NIODeadline.now().uptimeNanoseconds, ordering: .relaxed) }

    func giveUp() {
        hasGivenUp.store(true, ordering: .relaxed)
        channel.close(promise: nil)
    }

    var lossReason: ClientError {
        if let replyTimeout, hasGivenUp.load(ordering: .relaxed) { return .noReply(path, within: replyTimeout) }
        return .connectionLost(path)
    }
}
