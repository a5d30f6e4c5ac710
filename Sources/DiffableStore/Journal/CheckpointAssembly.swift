import DequeModule
import Diffable
import Dispatch
import Synchronization

/// Puts a snapshot together from the parts of a checkpoint, in their order, on two threads.
///
/// Most of the work is making records, and that needs nothing of what came before. So parts are given to a second
/// thread, and when it has enough to do, the caller makes the records of a part itself. Neither waits for the other before
/// the end.
struct CheckpointAssembly {
    private var builder = SnapshotBuilder()
    /// In order; those that are not made yet are with the other thread.
    private var parts: Deque<Part> = []
    private var isFirst = true
    /// How many parts the other thread has.
    private let load = Load()
    private let queue = DispatchQueue(label: "diffabled.checkpoint", qos: .userInitiated)

    private static let loadMax = 8

    private final class Load: Sendable {
        let count = Atomic(0)
    }

    /// A part on its way to the snapshot.
    private final class Part: Sendable {
        typealias Made = Result<CheckpointElements, CheckpointPartError>

        private let made = Mutex<Made?>(nil)
        private let isDone = DispatchSemaphore(value: 0)

        /// What was made of it, if that is done.
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

    /// The bytes are read before this returns, or copied.
    mutating func append(_ bytes: UnsafeRawBufferPointer, checksum: Int64) throws(CheckpointPartError) {
        let part = Part()
        parts.append(part)
        // Most lists have one part only, and need no other thread.
        if isFirst || load.count.load(ordering: .relaxed) >= Self.loadMax {
            part.make(of: bytes, checksum: checksum)
        } else {
            let load = load
            load.count.add(1, ordering: .relaxed)
            let copy = [UInt8](bytes)
            queue.async {
                copy.withUnsafeBytes { part.make(of: $0, checksum: checksum) }
                load.count.subtract(1, ordering: .relaxed)
            }
        }
        isFirst = false
        while let result = parts.first?.result { try appendFirst(result) }
    }

    /// The whole. Throws what is wrong with a part, or with all of them together.
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

    private mutating func appendFirst(_ result: Part.Made) throws(CheckpointPartError) {
        parts.removeFirst()
        try builder.append(result.get())
    }
}
