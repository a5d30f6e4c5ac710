import EtcdAPI
import GRPCCore
import SharedLog

extension EtcdClient: FollowedEngine {
    /// Watches a prefix until the watch ends, which may happen at any time, when the member is lost or has no leader. Changes
    /// before the beginning are not reported, so the caller has to read the keys when the watch begins.
    ///
    /// - Parameters:
    ///   - began: called when all further changes will be reported.
    ///   - heard: called with the events of one message, which may be repeated, late, or from a past that was rolled back.
    package nonisolated func watch(
        _ prefix: String, began: @Sendable @escaping () async throws -> Void,
        heard: @Sendable @escaping ([EngineEvent]) async throws -> Void
    ) async throws(EngineError) {
        let link = try await current()
        var options = options(.seconds(0))
        options.timeout = nil
        // Otherwise a member that is cut off from the others would be silent, and the watch with it.
        let metadata: Metadata = ["hasleader": "true"]
        do {
            try await Etcdserverpb_Watch.Client(wrapping: link.client).watch(metadata: metadata, options: options) {
                writer in
                var create = Etcdserverpb_WatchCreateRequest()
                create.key = EtcdText.bytes(prefix)
                create.rangeEnd = .init(KeyRange.end(ofPrefix: prefix))
                create.progressNotify = true
                var request = Etcdserverpb_WatchRequest()
                request.createRequest = create
                try await writer.write(request)
                // The watch ends with the request stream, so the stream stays open for as long as the watch.
                while !Task.isCancelled { try await Task.sleep(for: .seconds(3_600)) }
            } onResponse: { response in
                for try await message in response.messages {
                    if message.canceled {
                        throw RPCError(code: .unavailable, message: "the watch ended: \(message.cancelReason)")
                    }
                    if message.created { try await began() }
                    let events = message.events.map(EngineEvent.init)
                    if !events.isEmpty { try await heard(events) }
                }
            }
        } catch {
            let reason = "\(CallFailure(error).error)"
            await lose(link.number, "the watch ended: \(reason)")
            throw .unknown(reason)
        }
    }
}

extension EngineEvent {
    init(_ event: Etcdserverpb_Event) {
        self =
            event.type == .delete
            ? .deleted(key: EtcdText.text(event.kv.key), revision: event.kv.modRevision) : .put(StoredValue(event.kv))
    }
}
