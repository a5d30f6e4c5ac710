import Diffable
import DiffableJSON

/// SplitMix64 (Steele, Lea and Flood, 2014): small, and the same everywhere for one seed.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { self.state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

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
