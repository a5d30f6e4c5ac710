import Diffable
import DiffableJSON
import Testing

struct OperationsWriterTests {
    private static let outline = #"""
        {"sections":[{"id":"s"},{"id":"t"},{"id":"u","items":[{"id":"a","children":[{"id":"b","children":[{"id":"c"}]},\#
        {"id":"d"}]},{"id":"e","expanded":true}]},{"id":"v","items":[{"id":"f"}]}]}
        """#

    @Test func `a reset appends sections, neighbours in one operation, then their items`() throws {
        let snapshot = try Snapshot(decodeSections(Self.outline))
        #expect(
            parts(OperationsWriter(resetTo: snapshot), limit: .max) == [
                #"[{"op":"appendSections","sections":[{"id":"s"},{"id":"t"},{"id":"u"}]},"#
                    + #"{"op":"appendItems","section":"u","items":[{"id":"a","children":[{"id":"b","children":[{"id":"c"}]},{"id":"d"}]},{"id":"e","expanded":true}]},"#
                    + #"{"op":"appendSections","sections":[{"id":"v"}]},{"op":"appendItems","section":"v","items":[{"id":"f"}]}]"#
            ])
    }

    @Test func `a reset with one element in each part names the parent that goes on`() throws {
        let snapshot = try Snapshot(decodeSections(Self.outline))
        #expect(
            parts(OperationsWriter(resetTo: snapshot), limit: 0) == [
                #"[{"op":"appendSections","sections":[{"id":"s"}]}]"#,
                #"[{"op":"appendSections","sections":[{"id":"t"}]}]"#,
                #"[{"op":"appendSections","sections":[{"id":"u"}]}]"#,
                #"[{"op":"appendItems","section":"u","items":[{"id":"a"}]}]"#,
                #"[{"op":"appendItems","section":"u","parent":"a","items":[{"id":"b"}]}]"#,
                #"[{"op":"appendItems","section":"u","parent":"b","items":[{"id":"c"}]}]"#,
                #"[{"op":"appendItems","section":"u","parent":"a","items":[{"id":"d"}]}]"#,
                #"[{"op":"appendItems","section":"u","items":[{"id":"e","expanded":true}]}]"#,
                #"[{"op":"appendSections","sections":[{"id":"v"}]}]"#,
                #"[{"op":"appendItems","section":"v","items":[{"id":"f"}]}]"#,
            ])
    }

    @Test func `a long insertion goes on after the item that it stopped at`() throws {
        let operations = try decodeOperations(
            #"[{"op":"insertItems","section":"s","after":"x","items":[{"id":"a","children":[{"id":"b"},{"id":"c"}]},{"id":"d"}]}]"#
        )
        #expect(
            parts(OperationsWriter(operations), limit: 0) == [
                #"[{"op":"insertItems","section":"s","after":"x","items":[{"id":"a"}]}]"#,
                #"[{"op":"insertItems","section":"s","parent":"a","after":null,"items":[{"id":"b"}]}]"#,
                #"[{"op":"insertItems","section":"s","parent":"a","after":"b","items":[{"id":"c"}]}]"#,
                #"[{"op":"insertItems","section":"s","after":"a","items":[{"id":"d"}]}]"#,
            ])
    }

    @Test func `inserted sections bring their items, and go on after the section that they stopped at`() throws {
        let operations = try decodeOperations(
            #"[{"op":"insertSections","after":null,"sections":[{"id":"s","items":[{"id":"a"},{"id":"b"}]},{"id":"t"}]}]"#
        )
        #expect(
            parts(OperationsWriter(operations), limit: 0) == [
                #"[{"op":"insertSections","after":null,"sections":[{"id":"s"}]}]"#,
                #"[{"op":"insertItems","section":"s","after":null,"items":[{"id":"a"}]}]"#,
                #"[{"op":"insertItems","section":"s","after":"a","items":[{"id":"b"}]}]"#,
                #"[{"op":"insertSections","after":"s","sections":[{"id":"t"}]}]"#,
            ])
    }

    @Test func `a list of ids is split between two of them`() throws {
        let operations = try decodeOperations(
            #"[{"op":"deleteItems","items":["a","b","c"],"ifPresent":true},{"op":"expandItems","items":["d","e"]}]"#)
        #expect(
            parts(OperationsWriter(operations), limit: 60) == [
                #"[{"op":"deleteItems","items":["a","b","c"],"ifPresent":true}]"#,
                #"[{"op":"expandItems","items":["d","e"]}]"#,
            ])
        #expect(
            parts(OperationsWriter(operations), limit: 55).first
                == #"[{"op":"deleteItems","items":["a","b"],"ifPresent":true}]"#)
    }

    @Test func `replaceChildren is never split`() throws {
        let text = #"[{"op":"replaceChildren","parent":"p","items":[{"id":"a"},{"id":"b"}]}]"#
        #expect(parts(OperationsWriter(try decodeOperations(text)), limit: 0) == [text])
    }

    @Test func `no operations and an empty snapshot are nothing to write`() {
        #expect(parts(OperationsWriter([]), limit: 10) == ["[]"])
        #expect(parts(OperationsWriter(resetTo: Snapshot()), limit: 10) == ["[]"])
    }

    @Test func `a part fills its limit to the last byte`() throws {
        let operations = try decodeOperations(#"[{"op":"deleteItems","items":["a","b","c"]}]"#)
        let whole = #"{"op":"deleteItems","items":["a","b","c"]}"#.utf8.count
        #expect(parts(OperationsWriter(operations), limit: whole).count == 1)
        #expect(parts(OperationsWriter(operations), limit: whole - 1).count == 2)
        let snapshot = try Snapshot(decodeSections(Self.outline))
        let reset = parts(OperationsWriter(resetTo: snapshot), limit: .max)[0].utf8.count - 2
        #expect(parts(OperationsWriter(resetTo: snapshot), limit: reset).count == 1)
        #expect(parts(OperationsWriter(resetTo: snapshot), limit: reset - 1).count == 2)
    }

    @Test func `the limit counts what the writer already holds`() throws {
        var operations = OperationsWriter(try decodeOperations(#"[{"op":"deleteItems","items":["a","b","c"]}]"#))
        var writer = ByteWriter()
        writer.append("0123456789")
        #expect(operations.write(into: &writer, upTo: 50) == .more)
        #expect(String(decoding: writer.bytes, as: UTF8.self) == #"0123456789{"op":"deleteItems","items":["a","b"]}"#)
    }

    @Test func `collapsed is said only where it matters`() throws {
        let operations = try decodeOperations(
            #"[{"op":"appendItems","items":[{"id":"a","expanded":false},{"id":"b"}]}]"#)
        #expect(
            parts(OperationsWriter(operations), limit: .max) == [
                #"[{"op":"appendItems","items":[{"id":"a"},{"id":"b"}]}]"#
            ])
        #expect(
            parts(OperationsWriter(operations, expansion: .asSaid), limit: .max)
                == [#"[{"op":"appendItems","items":[{"id":"a","expanded":false},{"id":"b"}]}]"#])
    }

    @Test func `operations as text are split between operations`() throws {
        let text = " [ {\"op\" : \"a\"} , {\"op\":\"b\"},{\"op\":\"c\"} ] "
        var operations = try Array(text.utf8).withUnsafeBytes { try OperationsText(json: $0) }
        var first = ByteWriter()
        #expect(operations.write(into: &first, upTo: 21) == .more)
        #expect(String(decoding: first.bytes, as: UTF8.self) == #"{"op":"a"},{"op":"b"}"#)
        var second = ByteWriter()
        #expect(operations.write(into: &second, upTo: 0) == .done)
        #expect(String(decoding: second.bytes, as: UTF8.self) == #"{"op":"c"}"#)
    }
}
