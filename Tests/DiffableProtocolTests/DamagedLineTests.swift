import DiffableJSON
import DiffableProtocol
import Testing

/// Every input gets an answer. The tests are built with bounds checks, and no input stops the process.
struct DamagedLineTests {
    private static let line =
        #"{"jsonrpc":"2.0","id":"a\u00e9","method":"transact","params":{"list":"tâsks","operations":[{"op":"insertItems","#
        + #""section":"s","after":null,"items":[{"id":"x\\","kind":"k","content":{"a":[1,-2.5e+3,"𝄞\uD834\uDD1E"]},"expanded":"#
        + #"true,"children":[{"id":"y"}]}]},{"op":"patchItems","items":[{"id":"x","content":{"a":null}}]}],"ifRevision":7}}"#

    @Test func `damaged lines are answered, never fatal`() {
        let seed = UInt64.random(in: 0 ... .max)
        var state = seed
        func random(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(bound))
        }
        let whole = Array(Self.line.utf8)
        let favourites = Array("{}[]\",:\\u019-+.eEntf \n".utf8) + [0, 0x1F, 0x80, 0xC2, 0xE0, 0xED, 0xF4, 0xFF]
        #expect(throws: Never.self) { _ = try decode(whole).request.get() }
        for _ in 0..<3_000 {
            var bytes = whole
            for _ in 0...random(3) {
                let position = random(bytes.count)
                switch random(4) {
                case 0: bytes[position] = favourites[random(favourites.count)]
                case 1: bytes.remove(at: position)
                case 2: bytes.insert(favourites[random(favourites.count)], at: position)
                default: bytes.removeLast(random(bytes.count))
                }
                if bytes.isEmpty { bytes = whole }
            }
            let decoded = decode(bytes)
            if case .failure(let error) = decoded.request {
                // The answer is itself a line that a client can read.
                let reply = text { error.write(id: decoded.id == .absent ? .null : decoded.id, into: &$0) }
                #expect(throws: Never.self, "seed \(seed)") { _ = try decodeMessage(reply) }
            }
            _ = bytes.withUnsafeBytes { try? Message(line: $0) }
        }
    }

    /// Decodes exactly these bytes; the scanner asserts that it does not read beyond them.
    private func decode(_ bytes: [UInt8]) -> DecodedRequest {
        bytes.withUnsafeBytes { DecodedRequest(line: $0, limits: .server) }
    }
}
