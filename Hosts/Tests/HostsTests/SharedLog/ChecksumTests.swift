import Testing

@testable import SharedLog

@Suite struct ChecksumTests {
    // The standard check value of CRC-32 for these nine digits.
    @Test func theChecksumIsCRC32() {
        #expect(Checksum.hexadecimal(of: "123456789") == "cbf43926")
        #expect(Checksum.hexadecimal(of: "") == "00000000")
    }

    @Test func aPartThatWasChangedIsNone() {
        let value = CheckpointPart(text: "a\nb").value
        #expect(CheckpointPart(value: value)?.text == "a\nb")
        #expect(CheckpointPart(value: value + "c") == nil)
        #expect(CheckpointPart(value: String(value.dropLast())) == nil)
        #expect(CheckpointPart(value: "") == nil)
    }
}
