import Foundation
import Testing

/// Runs the inputs of `make fuzz`, including every one that ever broke something, without instrumentation.
@Suite struct CorpusTests {
    @Test(arguments: FuzzTarget.allCases)
    func `what holds of any input holds of the corpus`(target: FuzzTarget) throws {
        let corpus = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Fuzzing/Corpus")
            .standardizedFileURL.appending(path: target.rawValue)
        let names = try FileManager.default.contentsOfDirectory(atPath: corpus.path).sorted()
        #expect(!names.isEmpty)
        for name in names {
            let bytes = [UInt8](try Data(contentsOf: corpus.appending(path: name)))
            bytes.withUnsafeBytes { bytes in
                #expect(throws: Never.self, "Fuzzing/Corpus/\(target)/\(name)") { try target.check(bytes) }
            }
        }
    }

    /// A check that accepts everything would find nothing.
    @Test(arguments: [("[1,]", false), (#"["\ud800"]"#, false), (#"[1,"\ud83d\ude00",{"a":-0.5e+3}]"#, true)])
    func `the plain reading of JSON tells what is JSON`(text: String, isJSON: Bool) {
        Array(text.utf8).withUnsafeBytes { #expect(PlainJSON.accepts($0, depthMax: 2) == isJSON) }
        Array(text.utf8).withUnsafeBytes { #expect(!PlainJSON.accepts($0, depthMax: 0)) }
    }
}
