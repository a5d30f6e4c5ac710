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
    /// In canonical form: no content is not said.
    init(_ snapshot: Snapshot) {
        self.init(content: snapshot.content.map(Optional.some), sections: snapshot.sections)
    }
}

/// All operations in one part, as text.
func encode(_ operations: [ListOperation]) -> String {
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
