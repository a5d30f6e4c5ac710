import Testing

@testable import Diffable

@Suite struct `A record` {
    @Test(arguments: [0, 1, 100, 65_534, 65_535, 65_536, 100_000])
    func `content of any length reads back, with and without requests to draw again`(length: Int) {
        for redraws in [Record.Redraws(), Record.Redraws(reconfiguration: 3, reload: .max)] {
            let record = record(contentLength: length, redraws: redraws)
            #expect(record.contentLength == length && record.hasContent == (length > 0))
            #expect(record.redraws == redraws)
            #expect(record.withID { Array($0) } == id && record.withKind { Array($0) } == kind)
            #expect(record.withContent { $0.elementsEqual((0..<length).map { UInt8(truncatingIfNeeded: $0) }) })
        }
    }

    @Test func `the lengths of id and kind go up to their limit`() {
        let long = [UInt8](repeating: 7, count: 255)
        let record = long.withUnsafeBytes { Record.make(id: $0, kind: $0, content: $0) }
        #expect(record.withID { Array($0) } == long && record.withKind { Array($0) } == long)
        #expect(record.withContent { Array($0) } == long)
    }

    @Test func `the hash is that of the id alone`() {
        let record = record(contentLength: 10)
        let other = record.rewritten(
            kind: UnsafeRawBufferPointer(start: nil, count: 0), content: UnsafeRawBufferPointer(start: nil, count: 0),
            redraws: Record.Redraws(reconfiguration: 1))
        #expect(record.hash == other.hash && record.hash == id.withUnsafeBytes(identifierHash))
        #expect(record.hasSameID(as: other) && !record.hasSameKind(as: other) && !record.hasSameContent(as: other))
        #expect(!other.hasKind && !other.hasContent && other.redraws.reconfiguration == 1)
    }

    @Test func `rewriting what is the same gives the same record`() {
        let record = record(contentLength: 70_000, redraws: Record.Redraws(reload: 1))
        let same = record.withKind { kind in
            record.withContent { record.rewritten(kind: kind, content: $0, redraws: record.redraws) }
        }
        #expect(same.isShared(with: record))
        #expect(!record.rewritten(redraws: Record.Redraws()).isShared(with: record))
    }

    private let id = Array("item-00000000001".utf8)
    private let kind = Array("cell".utf8)

    private func record(contentLength: Int, redraws: Record.Redraws = Record.Redraws()) -> Record {
        let content = (0..<contentLength).map { UInt8(truncatingIfNeeded: $0) }
        return id.withUnsafeBytes { id in
            kind.withUnsafeBytes { kind in
                content.withUnsafeBytes { Record.make(id: id, kind: kind, content: $0, redraws: redraws) }
            }
        }
    }
}
