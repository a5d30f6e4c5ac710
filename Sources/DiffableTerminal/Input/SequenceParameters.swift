/// The numbers of a sequence: `1;5:3` is 1 and 5 with the detail 3. Missing and too large numbers are nil.
struct SequenceParameters {
    private var numbers: [(value: Int?, detail: Int?)] = []

    init(_ bytes: ArraySlice<UInt8>) {
        for part in bytes.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false) {
            let details = part.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            numbers.append((number(details.first), details.count > 1 ? number(details[1]) : nil))
        }
    }

    var values: [Int] { numbers.compactMap(\.value) }

    subscript(index: Int) -> Int? { index < numbers.count ? numbers[index].value : nil }

    /// Returns the number after the colon.
    func detail(_ index: Int) -> Int? { index < numbers.count ? numbers[index].detail : nil }
}

/// Returns the number at the beginning of the bytes; the bytes after it belong to the end of the sequence.
private func number(_ bytes: ArraySlice<UInt8>?) -> Int? {
    var value: Int?
    for byte in bytes ?? [] {
        guard case 0x30...0x39 = byte else { break }
        let next = (value ?? 0) * 10 + Int(byte & 0xF)
        guard next < 1 << 24 else { return nil }
        value = next
    }
    return value
}
