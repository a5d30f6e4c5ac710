import Glibc
import Logging
import NIOCore

/// Accepts no more clients while there are no file descriptors left, and goes on when one of ours is closed, or after a
/// second, because others' count too (`ENFILE`). Those who connect meanwhile wait in the socket's backlog.
///
/// The daemon's own limit is above `connectionsMax` (`StartUp+Descriptors`), so this is for when the system's, or a limit
/// that was lowered since, is below. A few descriptors are held in reserve and given up then: others in this process
/// need one now and then, and libdispatch, which looks at its threads in /proc each second, ends the process without.
final class AcceptPause: ChannelInboundHandler {
    typealias InboundIn = any Channel

    private let hub: Hub
    private var context: ChannelHandlerContext?
    private var reserve: [CInt] = []
    private var isPaused = false
    /// When the log may be told again.
    private var nextNote = NIODeadline.distantPast

    private static let reserveCount = 8

    init(hub: Hub) { self.hub = hub }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        fillReserve()
        hub.onRoom = { [weak self] in self?.goOn() }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        giveUpReserve()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? IOError, Self.passing.contains(error.errnoCode) else {
            return context.fireErrorCaught(error)
        }
        if isPaused { return }
        isPaused = true
        // Before the reserve is given up, which clients who wait would get otherwise: the channel still asks for them.
        setReading(false)
        giveUpReserve()
        note(error)
        retryLater()
    }

    /// Once in ten seconds, however many try.
    private func note(_ error: IOError) {
        guard .now() >= nextNote else { return }
        nextNote = .now() + .seconds(10)
        hub.logger.warning(
            """
            no file descriptor is left for new clients, and they wait until a client disconnects: raise LimitNOFILE= of \
            the unit, `ulimit -n`, or fs.file-max
            """, metadata: ["error": "\(error)"])
    }

    private func retryLater() {
        hub.schedule(in: .seconds(1)) { [weak self] in
            guard let self, isPaused else { return }
            goOn()
            if isPaused { retryLater() }
        }
    }

    /// Accepts again, if there are enough descriptors for the reserve. If there is none for a client, that shows at once.
    private func goOn() {
        guard isPaused, context != nil else { return }
        fillReserve()
        guard reserve.count == Self.reserveCount else { return giveUpReserve() }
        isPaused = false
        setReading(true)
    }

    /// Not by holding back `read`: a channel whose accepting failed has been asked already, and goes on asking.
    private func setReading(_ isReading: Bool) {
        try? context?.channel.syncOptions?.setOption(.autoRead, value: isReading)
    }

    private func fillReserve() {
        while reserve.count < Self.reserveCount {
            let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return }
            reserve.append(descriptor)
        }
    }

    private func giveUpReserve() {
        for descriptor in reserve { Glibc.close(descriptor) }
        reserve = []
    }

    private static let passing = [EMFILE, ENFILE, ENOBUFS, ENOMEM]
}
