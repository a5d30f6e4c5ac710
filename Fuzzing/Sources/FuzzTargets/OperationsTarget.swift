import Diffable
import DiffableJSON

private func decoded(_ json: UnsafeRawBufferPointer) throws(DecodingError) -> [ListOperation] {
    try [ListOperation](json: json, limits: .server)
}

/// Most transactions of one input: the checks take longer than the operations, and short inputs reach more states.
private let transactionsMax = 8

private func lines(of bytes: UnsafeRawBufferPointer) -> [UnsafeRawBufferPointer] {
    bytes.split(separator: UInt8(ascii: "\n")).map { UnsafeRawBufferPointer(rebasing: $0) }
}

func decodeOperations(_ bytes: UnsafeRawBufferPointer) {
    for line in lines(of: bytes) { _ = try? decoded(line) }
}

func checkOperations(_ bytes: UnsafeRawBufferPointer) throws {
    var list = Sample.list
    for line in lines(of: bytes).prefix(transactionsMax) {
        guard let operations = try? decoded(line) else { continue }
        list = try checkTransaction(operations, on: list)
    }
}

func checkChanges(_ bytes: UnsafeRawBufferPointer) throws {
    var choices = Choices(bytes)
    var list = Sample.list
    for _ in 0..<transactionsMax where !choices.isEmpty {
        let json = choices.transaction()
        let operations: [ListOperation] = try json.withUnsafeBytes { json in
            try succeed("what is chosen can be read: \(text(json))") { () throws(DecodingError) in
                try decoded(json)
            }
        }
        list = try checkTransaction(operations, on: list)
    }
}

/// Applies the operations, all or none, and returns the new state.
private func checkTransaction(_ operations: [ListOperation], on list: Snapshot) throws -> Snapshot {
    let before = SnapshotText(list)
    let json = OperationsWriter.array(operations)
    let again = try json.withUnsafeBytes { json in
        try succeed("operations that were written can be read: \(text(json))") { () throws(DecodingError) in
            try [ListOperation](json: json, limits: .journal)
        }
    }
    try hold(OperationsWriter.array(again) == json, "operations are others when they were written: \(text(json))")
    let result = Result { () throws(TransactionError) in try list.applying(operations) }
    switch result {
    case .failure(let error):
        try hold(SnapshotText(list) == before, "a list changes by what is refused")
        try hold(operations.indices.contains(error.index), "an error names no operation: \(error)")
        return list
    case .success(let next):
        try checkInvariants(next)
        let same = try succeed("what was written does the same") { () throws(TransactionError) in
            try list.applying(again)
        }
        try hold(same == next, "what was written does something else: \(text(json))")
        try checkDifference(from: list, to: next)
        try checkDifference(from: next, to: list)
        try hold(SnapshotText(list) == before, "a list changes by what is applied to it")
        return next
    }
}

private func checkDifference(from old: Snapshot, to new: Snapshot) throws {
    let difference = new.difference(from: old)
    let applied = try succeed("a difference can be applied") { () throws(TransactionError) in
        try old.applying(difference, limits: .none)
    }
    try hold(applied == new, "a difference leads elsewhere: \(text(OperationsWriter.array(difference)))")
}
