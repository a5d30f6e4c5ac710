import Diffable
import DiffableJSON
import DiffableProtocol
import Testing

struct NotificationTests {
    private static let snapshot =
        #"{"sections":[{"id":"today","items":[{"id":"milk","content":{"text":"Buy milk"}},{"id":"eggs"}]},{"id":"later"}]}"#

    @Test func `a reset is one line when it fits`() throws {
        let snapshot = try Snapshot(sections(#"{"sections":[{"id":"today","items":[{"id":"milk"}]}]}"#))
        let writer = NotificationWriter(
            resetOf: "tasks", epoch: "k3v9", revision: 1, reason: .initial, snapshot: snapshot)
        #expect(
            lines(writer, subscription: 1, lineLengthMax: 65_535) == [
                #"{"jsonrpc":"2.0","method":"reset","params":{"subscription":1,"list":"tasks","epoch":"k3v9","revision":1,"reason":"initial","operations":[{"op":"appendSections","sections":[{"id":"today"}]},{"op":"appendItems","section":"today","items":[{"id":"milk"}]}]}}"#
                    + "\n"
            ])
    }

    @Test func `an empty list's reset has no operations`() {
        let writer = NotificationWriter(
            resetOf: "t", epoch: "e", revision: 0, reason: .reload, snapshot: Snapshot())
        #expect(
            lines(writer, subscription: 12, lineLengthMax: 65_535) == [
                #"{"jsonrpc":"2.0","method":"reset","params":{"subscription":12,"list":"t","epoch":"e","revision":0,"reason":"reload","operations":[]}}"#
                    + "\n"
            ])
    }

    @Test func `changes in parts all say more but the last, and keep the limit under any number`() throws {
        let snapshot = try Snapshot(sections(Self.snapshot))
        let difference = snapshot.difference(from: Snapshot())
        for lineLengthMax in 250...600 {
            for subscription in [1, (1 << 53) - 1] {
                let writer = NotificationWriter(changesOf: "tasks", from: 0, to: 3, operations: difference)
                let lines = lines(writer, subscription: subscription, lineLengthMax: lineLengthMax)
                var mirror = Snapshot()
                for (index, line) in lines.enumerated() {
                    #expect(line.utf8.count <= lineLengthMax)
                    guard case .changes(let changes) = try decodeMessage(line) else {
                        Issue.record("no changes")
                        return
                    }
                    #expect(changes.subscription == subscription)
                    #expect(changes.list == "tasks")
                    #expect((changes.from, changes.revision) == (0, 3))
                    #expect(changes.part == (index == lines.count - 1 ? .last : .more))
                    mirror = try mirror.applying(changes.operations)
                }
                #expect(mirror == snapshot)
            }
        }
    }

    @Test func `pins and sections are spread over parts, and each keeps the limit`() throws {
        let snapshot = try Snapshot(sections(Self.snapshot))
        var extent = Window.Extent(offset: 3, total: 9)
        extent.anchor = "milk"
        extent.pins = (0..<40).map { Window.Pin(item: ItemID(stringLiteral: "pin\($0)"), row: $0 % 3 == 0 ? nil : $0) }
        extent.rows = (0..<40).map { Window.SectionRows(section: SectionID(stringLiteral: "section\($0)"), count: $0) }
        for lineLengthMax in 300...900 {
            let writer = NotificationWriter(
                changesOf: "tasks", from: 0, to: 3, operations: snapshot.difference(from: Snapshot()), extent: extent)
            var (pins, rows, mirror) = ([Window.Pin](), [Window.SectionRows](), Snapshot())
            for line in lines(writer, subscription: (1 << 53) - 1, lineLengthMax: lineLengthMax) {
                #expect(line.utf8.count <= lineLengthMax)
                guard case .changes(let changes) = try decodeMessage(line) else {
                    throw DecodingError.invalid("", at: 0)
                }
                let part = try #require(changes.extent)
                #expect((part.offset, part.total) == (3, 9) && part.anchor == "milk")
                (pins, rows) = (pins + part.pins, rows + part.rows)
                mirror = try mirror.applying(changes.operations)
            }
            #expect(pins == extent.pins && rows == extent.rows && mirror == snapshot)
        }
    }

    @Test func `pins and sections of a long line are written in pages`() throws {
        let snapshot = try Snapshot(sections(Self.snapshot))
        for (pins, rows) in [(0, 0), (0, 30), (30, 0), (30, 30), (1, 1)] {
            var extent = Window.Extent(offset: 3, total: 9)
            extent.pins = (0..<pins).map { Window.Pin(item: ItemID(stringLiteral: "pin\($0)"), row: $0) }
            extent.rows = (0..<rows).map { .init(section: SectionID(stringLiteral: "s\($0)"), count: $0) }
            var texts: Set<String> = []
            for limit in [1, 50, 10_000] {
                var line = LongLineWriter(
                    snapshotOf: "l", epoch: "e", revision: 1, reason: nil, snapshot: snapshot, extent: extent)
                var text = ""
                while true {
                    var page = ByteWriter()
                    let progress = line.write(into: &page, upTo: limit)
                    text += String(decoding: page.bytes, as: UTF8.self)
                    if progress == .done { break }
                }
                texts.insert(text)
            }
            let text = try #require(texts.first)
            #expect(texts.count == 1)
            #expect(text.contains("\"pins\":{") == (pins > 0) && text.contains("\"rows\":{") == (rows > 0))
            guard case .snapshot = try decodeMessage(#"{"method":"snapshot","params":{"subscription":1"# + text) else {
                throw DecodingError.invalid("no snapshot", at: 0)
            }
        }
    }

    @Test func `an item as large as the limits allow fits a line of the default length`() throws {
        let content = "\"" + String(repeating: "c", count: 32_766) + "\""
        // Ids of 255 quotes take 510 bytes.
        let id = { (first: String) in first + String(repeating: "\\\"", count: 254) }
        let json =
            #"{"sections":[{"id":"\#(id("s"))","items":[{"id":"\#(id("p"))","kind":"\#(id("k"))","content":\#(content),"expanded":true,"children":"#
            + #"[{"id":"\#(id("b"))"},{"id":"\#(id("c"))","kind":"\#(id("k"))","content":\#(content),"expanded":true}]}]}]}"#
        let snapshot = try Snapshot(sections(json))
        let list = try ListName(String(repeating: "\"", count: 255))
        for writer in [
            NotificationWriter(
                resetOf: list, epoch: "k3v9k3v9k3v9", revision: (1 << 53) - 1,
                reason: .initial, snapshot: snapshot),
            NotificationWriter(
                changesOf: "t", from: 0, to: 1, operations: snapshot.difference(from: Snapshot())),
        ] {
            for line in lines(writer, subscription: (1 << 53) - 1, lineLengthMax: 65_535) {
                #expect(line.utf8.count <= 65_535)
            }
        }
    }

    @Test func `a deleted list is told`() throws {
        let line = text { NotificationWriter.writeListDeleted("tasks", subscription: 7, into: &$0) }
        #expect(line == #"{"jsonrpc":"2.0","method":"listDeleted","params":{"subscription":7,"list":"tasks"}}"# + "\n")
        guard case .listDeleted(7, "tasks") = try decodeMessage(line) else {
            Issue.record("not read")
            return
        }
    }

    @Test(arguments: [0, 50, 200, Int.max]) func `a snapshot and a patch are one line, written in pieces`(
        limit: Int
    ) throws {
        let new = try Snapshot(sections(Self.snapshot))
        let old = try Snapshot(sections(#"{"sections":[{"id":"today","items":[{"id":"eggs"}]},{"id":"later"}]}"#))
        let first = LongLineWriter(snapshotOf: "t", epoch: "e", revision: 3, reason: .initial, snapshot: new)
        #expect(
            line(first, limit: limit)
                == #"{"jsonrpc":"2.0","method":"snapshot","params":{"subscription":7,"list":"t","epoch":"e","revision":3,"reason":"initial","snapshot":\#(Self.snapshot)}}"#
                + "\n")
        let next = LongLineWriter(snapshotOf: "t", epoch: "e", revision: 4, reason: nil, snapshot: Snapshot())
        #expect(
            line(next, limit: limit)
                == #"{"jsonrpc":"2.0","method":"snapshot","params":{"subscription":7,"list":"t","epoch":"e","revision":4,"snapshot":{"sections":[]}}}"#
                + "\n")
        let patch = LongLineWriter(
            patchOf: "t", from: 2, to: 3, old: old, operations: new.difference(from: old))
        #expect(
            line(patch, limit: limit)
                == #"{"jsonrpc":"2.0","method":"patch","params":{"subscription":7,"list":"t","from":2,"revision":3,"patch":[{"op":"add","path":"/sections/0/items/0","value":{"id":"milk","content":{"text":"Buy milk"}}}]}}"#
                + "\n")
    }

    @Test func `a client reads snapshots, patches and bookmarks`() throws {
        let new = try Snapshot(sections(Self.snapshot))
        for reason in [NotificationWriter.ResetReason.epoch, nil] {
            let writer = LongLineWriter(snapshotOf: "t", epoch: "e", revision: 3, reason: reason, snapshot: new)
            guard case .snapshot(let read) = try decodeMessage(line(writer, limit: .max)) else {
                Issue.record("not read")
                return
            }
            #expect((read.subscription, read.list, read.epoch, read.revision) == (7, "t", "e", 3))
            #expect(read.reason == reason?.rawValue)
            #expect(try Snapshot(read.snapshot) == new)
        }
        let writer = LongLineWriter(
            patchOf: "t", from: 2, to: 3, old: new, operations: Snapshot().difference(from: new))
        guard case .patch(let read) = try decodeMessage(line(writer, limit: .max)) else {
            Issue.record("not read")
            return
        }
        #expect((read.subscription, read.list, read.from, read.revision) == (7, "t", 2, 3))
        #expect(read.patch == JSONPatchWriter.patch(from: new, by: Snapshot().difference(from: new)))
        for place in [("e", 9), nil] {
            let line = text { NotificationWriter.writeBookmark("t", at: place, nil, subscription: 7, into: &$0) }
            guard case .bookmark(let read) = try decodeMessage(line) else {
                Issue.record("not read")
                return
            }
            #expect((read.subscription, read.list) == (7, "t"))
            #expect(read.epoch == place?.0)
            #expect(read.revision == place?.1)
            #expect(read.news.isEmpty)
        }
    }

    @Test func `a client reads what has changed of what it can do`() throws {
        let actions: [[ActionName]??] = [nil, .some(nil), [], ["done", "d\""]]
        for may in [Set<Permission>?.none, [], [.see], [.see, .ask, .change]] {
            for handles in [Set<HandlerRequestKind>?.none, [], [.perform, .expand]] {
                for actions in actions {
                    let news = CapabilitiesChange(may: may, handles: handles, actions: actions)
                    let line = text {
                        NotificationWriter.writeBookmark("t", at: ("e", 9), nil, news, subscription: 7, into: &$0)
                    }
                    guard case .bookmark(let read) = try decodeMessage(line) else {
                        Issue.record("not read")
                        return
                    }
                    #expect(read.news == news, "\(line)")
                }
            }
        }
    }

    private func line(_ writer: LongLineWriter, limit: Int) -> String {
        var writer = writer
        var line = text { NotificationWriter.writePrefix(writer.method, subscription: 7, into: &$0) }
        var progress = Progress.more
        while case .more = progress { line += text { progress = writer.write(into: &$0, upTo: limit) } }
        return line
    }

    @Test func `a client passes over what a newer daemon says`() throws {
        let line =
            #"{"jsonrpc":"2.0","method":"listDeleted","trace":[1],"params":{"subscription":7,"list":"t","why":{}}}"#
        guard case .listDeleted(7, "t") = try decodeMessage(line) else {
            Issue.record("not read")
            return
        }
        // An unknown method may have any parameters, before or after its name.
        for line in [
            #"{"method":"weather","params":{"sun":true}}"#, #"{"method":"weather","params":["sun"]}"#,
            #"{"params":{"from":"the west","operations":[{"op":"rain"}]},"method":"weather"}"#,
        ] {
            guard case .other("weather") = try decodeMessage(line) else {
                Issue.record("\(line) is not read")
                continue
            }
        }
        #expect(throws: DecodingError.self) { try decodeMessage(#"{"params":["sun"],"method":"changes"}"#) }
        #expect(throws: DecodingError.self) { try decodeMessage(#"{"method":"weather","params":{"sun":tru}}"#) }
    }

    private func lines(_ writer: NotificationWriter, subscription: Int, lineLengthMax: Int) -> [String] {
        var notification = writer
        var lines: [String] = []
        var progress = Progress.more
        while case .more = progress {
            lines.append(
                text { writer in
                    NotificationWriter.writePrefix(notification.method, subscription: subscription, into: &writer)
                })
            lines[lines.count - 1] += text {
                progress = notification.writeRest(into: &$0, lineLengthMax: lineLengthMax)
            }
        }
        return lines
    }
}
