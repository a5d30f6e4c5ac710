import Glibc
import Logging
import NIOCore

/// Stops accepting clients while no file descriptors are left. Accepts again when one of this process is closed, or
/// after a second, because other processes use them too (`ENFILE`). Clients that connect in the meantime wait in the
/// socket's backlog.
///
/// The process's own limit is above `connectionsMax` (`StartUp+Descriptors`), so this handles a lower system limit, or
/// a limit that was lowered later. A few reserved descriptors are then released, because other code in this process
/// needs some: libdispatch reads /proc every second and aborts without a descriptor.
final class AcceptPause: ChannelInboundHandler {
    typealias InboundIn = any Channel

    private let hub: Hub
    private var context: ChannelHandlerContext?
    private var reserve: [CInt] = []
    private var isPaused = false
    /// The time before which the problem is not logged again.
    private var nextNote = NIODeadline.distantPast

    private static let reserveCount = 8

    init(hub: Hub) { self.hub = hub }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        fillReserve()
        hub.onRoom = { [weak self] in self?.resume() }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        releaseReserve()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? IOError, Self.passing.contains(error.errnoCode) else {
            return context.fireErrorCaught(error)
        }
        if isPaused { return }
        isPaused = true
        // Has to precede the release of the reserve. The channel would otherwise keep accepting, and clients use the
        // reserve up.
        setReading(false)
        releaseReserve()
        logProblem(error)
        retryLater()
    }

    /// Logs the problem, at most once in ten seconds.
    private func logProblem(_ error: IOError) {
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
            resume()
            if isPaused { retryLater() }
        }
    }

    /// Accepts again if there are enough descriptors for the reserve. If there is none for a client, that shows at
    /// once.
    private func resume() {
        guard isPaused, context != nil else { return }
        fillReserve()
        guard reserve.count == Self.reserveCount else { return releaseReserve() }
        isPaused = false
        setReading(true)
    }

    /// Holding back `read` would not suffice: a channel that failed to accept already has a pending read and keeps
    /// trying.
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

    private func releaseReserve() {
        for descriptor in reserve { Glibc.close(descriptor) }
        reserve = []
    }

    private static let passing = [EMFILE, ENFILE, ENOBUFS, ENOMEM]
}
