import Testing
import TestSupport

@testable import DiffableStore

struct CompressionTests {
    private func compressed(_ bytes: [UInt8]) -> [UInt8] { bytes.withUnsafeBytes(Compression.compress) }

    @Test func `random bytes with random repetitions come back as they were`() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SplitMix64(seed: seed)
        for _ in 0..<300 {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 0..<20, using: &random) {
                let count = Int.random(in: 0..<3_000, using: &random)
                if bytes.isEmpty || Bool.random(using: &random) {
                    bytes += (0..<count).map { _ in UInt8.random(in: 0...7, using: &random) }
                } else {
                    let start = Int.random(in: 0..<bytes.count, using: &random)
                    for index in start..<start + count { bytes.append(bytes[index]) }
                }
            }
            #expect(Compression.decompress(compressed(bytes)) == bytes, "seed \(seed)")
        }
    }

    @Test(arguments: 0..<10)
    func `few bytes come back as they were`(count: Int) {
        let bytes = [UInt8](repeating: 7, count: count)
        #expect(Compression.decompress(compressed(bytes)) == bytes)
    }

    @Test func `contents that are alike take a fraction, and bytes that never repeat hardly more than before`() {
        let alike = (0..<5_000).flatMap { Array("{\"text\":\"item \($0) of a list\",\"n\":\($0)}".utf8) }
        #expect(compressed(alike).count < alike.count / 3)
        var random = SplitMix64(seed: 1)
        let unlike = (0..<100_000).map { _ in UInt8.random(in: 0...255, using: &random) }
        #expect(compressed(unlike).count < unlike.count + unlike.count / 100)
    }
}
