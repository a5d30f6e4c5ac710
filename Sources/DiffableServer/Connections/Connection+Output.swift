import Diffable
import DiffableJSON
import DiffableProtocol
import DiffableStore
import NIOCore

extension Connection {
    /// How much a connection is sent in one turn of the loop before the others have theirs, in lines or pages.
    private static let stepsMax = 64
    /// A page of a long reply, in bytes.
    private static let pageLength = 64 << 10

    /// Writes as long as the socket takes it, answers first.
    func write(to context: ChannelHandlerContext) {
        var steps = 0
        var isIdle = false
        while !isIdle && steps < Self.stepsMax && context.channel.isWritable {
            while steps < Self.stepsMax, context.channel.isWritable {
                guard step(context) else {
                    isIdle = true
                    break
                }
                steps += 1
            }
            if steps > 0 { context.flush() }
        }
        // A socket that took everything does not say so again.
        if !isIdle && context.channel.isWritable { isDue() }
    }

    /// Writes the next line or page; false when there is nothing to write now.
    private func step(_ context: ChannelHandlerContext) -> Bool {
        if snapshotReply != nil {
            writeSnapshotPage(context)
            return true
        }
        if stepOutbox(context) { return true }
        return stepSubscriptions(context)
    }

    private func stepOutbox(_ context: ChannelHandlerContext) -> Bool {
        switch outbox.first {
        case nil, .awaited?: return false
        case .line(let line, let barrier)?:
            if let barrier, !isPassed(barrier) { return false }
            outbox.removeFirst()
            write(line, context)
            return true
        case .read(let request, let id)?:
            outbox.removeFirst()
            carryOut(request, id: id)
            // Lines behind it were waiting for it.
            readLines()
            return true
        }
    }

    private func isPassed(_ barrier: Outbox.Barrier) -> Bool {
        subscriptions.allSatisfy { subscription in
            subscription.audience.state.name != barrier.list || subscription.isSettled(upTo: barrier.revision)
        }
    }

    private func stepSubscriptions(_ context: ChannelHandlerContext) -> Bool {
        for turn in subscriptions.indices {
            let position = (nextSubscription + turn) % subscriptions.count
            let subscription = subscriptions[position]
            guard let line = subscription.nextLine(lineLengthMax: lineLengthMax) else { continue }
            write(line, context)
            if subscription.hasEnded {
                subscriptions.remove(at: position)
                nextSubscription = position
            } else {
                nextSubscription = position + 1
            }
            return true
        }
        return false
    }

    private func writeSnapshotPage(_ context: ChannelHandlerContext) {
        guard var reply = snapshotReply else { return }
        snapshotReply = nil
        var page = ByteWriter()
        if reply.write(into: &page, upTo: Self.pageLength) == .more { snapshotReply = reply }
        write(ByteBuffer(bytes: page.bytes), context)
    }

    func write(_ line: ByteBuffer, _ context: ChannelHandlerContext) {
        guard line.readableBytes > 0 else { return }
        context.write(wrapOutboundOut(line), promise: nil)
    }
}
