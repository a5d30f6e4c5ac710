import Diffable
import DiffableJSON

@testable import DiffableStore

private func list(_ part: UnsafeRawBufferPointer) throws -> Snapshot {
    var builder = SnapshotBuilder()
    try builder.append(part: part)
    return try builder.finished()
}

func decodeCheckpoint(_ part: UnsafeRawBufferPointer) { _ = try? list(part) }

/// Checks that writing the list of a valid part gives the same part.
func checkCheckpoint(_ part: UnsafeRawBufferPointer) throws {
    guard let read = try? list(part) else { return }
    var parts = CheckpointParts(of: read, lengthMax: .max)
    var writer = ByteWriter()
    parts.writeNext(into: &writer)
    try writer.withUnsafeBytes { written in
        let again = try list(written)
        try hold(again == read, "a checkpoint is another list when it was written")
        try hold(again.itemIdentifiers == read.itemIdentifiers, "a list counts its items wrongly")
    }
}
