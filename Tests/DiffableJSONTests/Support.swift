import Diffable
import DiffableJSON

func decodeOperations(_ text: String, limits: DecodingLimits = .server) throws(DecodingError) -> [ListOperation] {
    try Array(text.utf8).withUnsafeBufferPointer { bytes throws(DecodingError) in
        try [ListOperation](json: UnsafeRawBufferPointer(bytes), limits: limits)
    }
}

func decodeSections(_ text: String, limits: DecodingLimits = .server) throws(DecodingError) -> [Section] {
    try decodeSnapshot(text, limits: limits).sections
}

func decodeSnapshot(_ text: String, limits: DecodingLimits = .server) throws(DecodingError) -> WholeList {
    try Array(text.utf8).withUnsafeBufferPointer { bytes throws(DecodingError) in
        try WholeList(json: UnsafeRawBufferPointer(bytes), limits: limits)
    }
}

extension WholeList {
    /// Converts a snapshot to canonical form, which leaves out missing content.
    init(_ snapshot: Snapshot) {
        self.init(content: snapshot.content.map(Optional.some), sections: snapshot.sections)
    }
}

func encode(_ operations: [ListOperation]) -> String {
    String(decoding: OperationsWriter.array(operations), as: UTF8.self)
}

/// Returns the parts that a writer makes within a limit, each in brackets.
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
