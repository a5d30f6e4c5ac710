import Diffable
import DiffableJSON

func decodeOperations(_ text: String, limits: DecodingLimits = .server) throws(DecodingError) -> [Operation] {
    try Array(text.utf8).withUnsafeBufferPointer { bytes throws(DecodingError) in
        try [Operation](json: UnsafeRawBufferPointer(bytes), limits: limits)
    }
}

func decodeSections(_ text: String, limits: DecodingLimits = .server) throws(DecodingError) -> [Section] {
    try Array(text.utf8).withUnsafeBufferPointer { bytes throws(DecodingError) in
        try [Section](json: UnsafeRawBufferPointer(bytes), limits: limits)
    }
}

/// All operations in one part, as text.
func encode(_ operations: [Operation]) -> String {
    String(decoding: OperationsWriter.array(operations), as: UTF8.self)
}

/// The parts that a writer makes under a limit, each with brackets around it.
func parts(_ writer: OperationsWriter, limit: Int) -> [String] {
    var operations = writer
    var parts: [String] = []
    var progress = Progress.more
    while case .more = progress {
        var writer = ByteWriter()
        progress = operations.write(into: &writer, upTo: limit)
        parts.append("[" + String(decoding: writer.bytes, as: UTF8.self) + "]")
    }
    return parts
}
