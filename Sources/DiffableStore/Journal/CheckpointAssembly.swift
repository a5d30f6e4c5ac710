import DequeModule
import Diffable
import Dispatch
import Synchronization

/// Builds a snapshot from the parts of a checkpoint, in order, on two threads.
///
/// Most of the work is making records, which does not depend on earlier parts. A second thread makes them while the caller
/// keeps reading and builds the trees. So only one thread allocates much, and they seldom contend in the allocator.
struct CheckpointAssembly {
    private var builder = SnapshotBuilder()
    /// In order. The second thread is working on parts without a result.
    private var parts: Deque<DecodingJob> = []
    private var isFirst = true
    private static let queue = DispatchQueue(label: "diffabled.checkpoint", qos: .userInitiated)

    /// The maximum number of parts that the second thread may have.
    private static let partsMax = 8

    private final class DecodingJob: Sendable {
        typealias Made = Result<CheckpointElements, CheckpointPartError>

        private let made = Mutex<Made?>(nil)
        private let isDone = DispatchSemaphore(value: 0)

        /// Nil while the records are being made.
        var result: Made? { made.withLock(\.self) }

        func wait() -> Made {
            if let result { return result }
            isDone.wait()
            guard let result else { preconditionFailure("a part that is done was made") }
            return result
        }

        func make(of bytes: UnsafeRawBufferPointer, checksum expected: Int64) {
            let result = Result { () throws(CheckpointPartError) in
                guard checksum(bytes) == expected else { throw .altered }
                return try CheckpointElements(part: bytes)
            }
            made.withLock { $0 = result }
            isDone.signal()
        }
    }

    /// Adds a part. The bytes are read or copied before this returns.
    mutating func append(_ bytes: UnsafeRawBufferPointer, checksum: Int64) throws(CheckpointPartError) {
        if parts.count == Self.partsMax, let first = parts.first { try appendFirst(first.wait()) }
        let part = DecodingJob()
        parts.append(part)
        // Most lists have only one part, so they do not need the second thread.
        if isFirst {
            part.make(of: bytes, checksum: checksum)
        } else {
            let copy = [UInt8](bytes)
            Self.queue.async { copy.withUnsafeBytes { part.make(of: $0, checksum: checksum) } }
        }
        isFirst = false
        while let result = parts.first?.result { try appendFirst(result) }
    }

    /// Returns the snapshot. Throws if a part is invalid, or the parts do not fit together.
    mutating func finish() throws(CheckpointPartError) -> Snapshot {
        while let part = parts.first { try appendFirst(part.wait()) }
        do throws(OperationError) {
            let builder = builder
            self.builder = SnapshotBuilder()
            return try builder.finished()
        } catch {
            throw .state(error)
        }
    }

    private mutating func appendFirst(_ result: DecodingJob.Made) throws(CheckpointPartError) {
        parts.removeFirst()
        try builder.append(result.get())
    }
}
