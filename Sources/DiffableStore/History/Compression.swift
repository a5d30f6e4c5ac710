/// Compresses bytes in memory: a repeated sequence is written as its length and distance (LZ77).
///
/// The output starts with the original length, followed by pairs. All numbers are in LEB128:
///
///     the length of new bytes, and these bytes
///     the length of a repeated sequence, and its distance; omitted after the last new bytes
enum Compression {
    private static let matchMin = 4
    /// The binary logarithm of the number of remembered positions.
    private static let slotBits: UInt32 = 13

    static func compress(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count / 4 + 16)
        result.append(number: UInt64(bytes.count))
        var places = [Int32](repeating: -1, count: 1 << slotBits)
        var firstNew = 0
        var index = 0
        while index + matchMin <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt32.self)
            let slot = Int((word &* 2_654_435_761) >> (32 - slotBits))
            let place = Int(places[slot])
            places[slot] = Int32(truncatingIfNeeded: index)
            guard place >= 0, bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self) == word else {
                // Skips ahead faster the longer the bytes do not repeat.
                index += 1 + (index - firstNew) >> 6
                continue
            }
            var length = matchMin
            while index + length < bytes.count, bytes[place + length] == bytes[index + length] { length += 1 }
            append(bytes[firstNew..<index], to: &result)
            result.append(number: UInt64(length))
            result.append(number: UInt64(index - place))
            index += length
            firstNew = index
        }
        append(bytes[firstNew...], to: &result)
        return result
    }

    private static func append(_ bytes: Slice<UnsafeRawBufferPointer>, to result: inout [UInt8]) {
        result.append(number: UInt64(bytes.count))
        result += UnsafeRawBufferPointer(rebasing: bytes)
    }

    /// - Parameter bytes: the output of `compress`.
    static func decompress(_ bytes: [UInt8]) -> [UInt8] {
        bytes.withUnsafeBytes { bytes in
            var reader = PackedReader(bytes)
            let length = Int(reader.number())
            return [UInt8](unsafeUninitializedCapacity: length) { result, count in
                while count < length {
                    let new = reader.bytes(Int(reader.number()))
                    UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(result)[count...])
                        .copyMemory(from: new)
                    count += new.count
                    if count == length { break }
                    let end = count + Int(reader.number())
                    let distance = Int(reader.number())
                    while count < end {
                        result[count] = result[count - distance]
                        count += 1
                    }
                }
            }
        }
    }
}
