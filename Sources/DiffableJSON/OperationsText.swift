/// The text of operations, to be sent in parts. It is only checked to be JSON. Unlike `OperationsWriter` it splits only between
/// operations, because it does not decode them; the daemon does.
package struct OperationsText: Sendable {
    private let bytes: [UInt8]
    private let ranges: [Range<Int>]
    private var next = 0

    /// From `[{"op":…},…]`, of any length. O(length).
    package init(json: UnsafeRawBufferPointer) throws(JSONError) {
        var scanner = JSONScanner(json, depthMax: DecodingLimits.client.depthMax)
        var bytes: [UInt8] = []
        var ranges: [Range<Int>] = []
        bytes.reserveCapacity(json.count)
        var array = try scanner.beginArray()
        while try scanner.nextElement(of: &array) {
            let start = bytes.count
            let value = try scanner.value()
            value.withCompactBytes { bytes.append(contentsOf: $0) }
            ranges.append(start..<bytes.count)
        }
        try scanner.end()
        (self.bytes, self.ranges) = (bytes, ranges)
    }

    /// As `OperationsWriter.write(into:upTo:)`.
    package mutating func write(into writer: inout ByteWriter, upTo limit: Int) -> Progress {
        var isEmpty = true
        while next < ranges.count {
            let range = ranges[next]
            if !isEmpty {
                guard writer.count + 1 + range.count <= limit else { return .more }
                writer.append(byte: UInt8(ascii: ","))
            }
            isEmpty = false
            bytes.withUnsafeBytes { writer.append($0.slice(range)) }
            next += 1
        }
        return .done
    }
}
