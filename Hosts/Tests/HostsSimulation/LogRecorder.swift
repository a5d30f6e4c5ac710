import SharedLog

/// Records the list's changes in etcd: incarnations, batches, heads and checkpoints.
final class LogRecorder {
    private let world: World
    private let records: Records
    private let keys = SimulatedHost.space
    private var checkpoints: Set<String> = []
    /// The position of the last head.
    private(set) var position = Position.beginning
    private(set) var epoch = ""
    /// Called when the list continues under another epoch.
    var onNewLife: () -> Void = {}

    init(_ world: World, _ records: Records) { (self.world, self.records) = (world, records) }

    func take(_ events: [EngineEvent], of state: EtcdState) {
        for event in events {
            guard case .put(let stored) = event else { continue }
            if stored.key.hasPrefix(keys.lists), let record = JSONText.decoded(ListRecord.self, stored.value) {
                if !epoch.isEmpty, epoch != record.id { onNewLife() }
                epoch = record.id
                records.write(
                    "life", "\"list\":\"shared\",\"epoch\":\"\(record.id)\",\"time\":\(time),\"seen\":\(time)")
            }
            guard let part = keys.part(of: stored.key) else { continue }
            switch part.kind {
            case .batch(let number):
                records.write(
                    "batch",
                    "\"epoch\":\"\(part.epoch)\",\"batch\":\(number),\"time\":\(time),"
                        + "\"text\":\(Records.quoted(stored.value))")
            case .head: take(stored, part.epoch, state)
            case .turn: break
            }
        }
    }

    private var time: String { Records.time(world.now) }

    private func take(_ stored: StoredValue, _ epoch: String, _ state: EtcdState) {
        records.write("head", "\"epoch\":\"\(epoch)\",\"head\":\(stored.value),\"time\":\(time)")
        guard let head = KnownHead(stored)?.head else { return }
        if epoch == self.epoch { position = head.position }
        guard let place = head.checkpoint, checkpoints.insert("\(epoch) \(place.position.batch)").inserted
        else { return }
        let parts = state.read(.prefix(keys.checkpoint(epoch, place.position.batch))).map(\.value)
        let text = parts.map { $0.drop { $0 != "\n" }.dropFirst() }.joined()
        records.write(
            "checkpoint", "\"epoch\":\"\(epoch)\",\"batch\":\(place.position.batch),\"text\":\(Records.quoted(text))")
    }
}
