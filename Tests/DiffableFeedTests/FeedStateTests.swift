import Diffable
import DiffableInput
import TestSupport
import Testing

@testable import DiffableFeed

/// The states that a feed writes for its source.
@Suite struct FeedStateTests {
    private var feed = FeedSettings(list: "a", source: .command(CommandSettings(words: ["true"])))

    private func input(_ text: String) throws -> Input {
        try feed.rows.input(Array(text.utf8), file: nil, named: "the input")
    }

    private func whole(_ text: String) throws -> FeedSettings.Whole { .input(try input(text)) }

    @Test mutating func `constants are added where the row does not say them itself`() throws {
        feed.constants = [.init(name: "icon", value: .string("x".utf8)), .init(name: "n", value: .number(1))]
        let state = try feed.state(from: Snapshot(), whole: whole(#"[{"id":"a"},{"id":"b","icon":"y"}]"#))
        #expect(state.item("a")?.content?.description == #"{"id":"a","icon":"x","n":1}"#)
        #expect(state.item("b")?.content?.description == #"{"id":"b","icon":"y","n":1}"#)
    }

    @Test mutating func `the look is the list's own content`() throws {
        feed.look = Content(Array(#"{"title":"T"}"#.utf8))
        let state = try feed.state(from: Snapshot(), whole: whole("[]"))
        #expect(state.content?.description == #"{"title":"T"}"#)
        // Without an appearance of its own, the feed keeps the one that another client set.
        feed.look = nil
        #expect(try feed.state(from: state, whole: whole("[]")).content == state.content)
    }

    @Test
    mutating func `a list without content looks as is usual for its source, and one that has some stays as it is`()
        throws
    {
        feed.source = .directory(DirectorySettings(path: "/home/ada/Downloads"))
        let state = try feed.state(from: Snapshot(), whole: whole("[]"))
        #expect(state.content?.description.contains(#""title":"Downloads""#) == true)
        let own = try state.applying([.reconfigureList(Content(Array(#"{"title":"T"}"#.utf8)))])
        #expect(try feed.state(from: own, whole: whole("[]")).content == own.content)
    }

    @Test func `what somebody expanded stays so`() throws {
        let tree = #"[{"id":"a"},{"id":"b","p":"a"}]"#
        var feed = feed
        feed.rows.fields.parent = FieldPath("p")
        let known = try feed.state(
            from: Snapshot(), whole: .input(feed.rows.input(Array(tree.utf8), file: nil, named: "")))
        let expanded = try known.applying([.expandItems(["a"])])
        let again = try feed.state(
            from: expanded, whole: .input(feed.rows.input(Array(tree.utf8), file: nil, named: "")))
        #expect(again.difference(from: expanded).isEmpty)
    }

    @Test func `a snapshot becomes what its rows become, and shares with the state before it`() throws {
        var feed = feed
        feed.rows.fields.parent = FieldPath("p")
        feed.look = Content(Array(#"{"title":"T"}"#.utf8))
        let rows = (0..<1_000).map { #"{"id":"\#($0)"\#($0 > 0 ? ",\"p\":\"0\"" : "")}"# }
        let input = try feed.rows.input(Array("[\(rows.joined(separator: ","))]".utf8), file: nil, named: "it")
        guard case .whole(let list) = input else { throw FeedError("no list") }
        let snapshot = try Snapshot(list)
        let known = try Snapshot().applying([
            .appendItems([Item(id: "0", children: [Item(id: "gone")]), Item(id: "1"), Item(id: "gone too")]),
            .expandItems(["0", "gone too"]), .reloadItems([ItemReload(id: "0")]),
        ])
        let state = try feed.state(from: known, whole: .snapshot(snapshot))
        let same = try feed.state(from: known, whole: .input(input))
        #expect(state == same && state.isExpanded("0") == true)
        #expect(try known.applying(state.difference(from: known)) == state)
        let next = try snapshot.applying([.deleteItems(["500"])])
        #expect(try feed.state(from: state, whole: .snapshot(next)).difference(from: state).count == 1)
    }

    @Test func `items are added to what is there, and change it`() throws {
        let known = try feed.state(from: Snapshot(), whole: whole(#"[{"id":"a","n":1},{"id":"b"}]"#))
        let state = try feed.state(
            from: known, whole: nil, changes: [.merge(input(#"[{"id":"a","n":2}]"#)), .merge(input(#"[{"id":"c"}]"#))])
        #expect(state.itemIdentifiers == ["a", "b", "c"])
        #expect(state.item("a")?.content?.description == #"{"id":"a","n":2}"#)
    }

    /// Compares with a naive model: an array, in which a new item is last.
    @Test(arguments: [nil, 1, 5]) mutating func `a stream deletes items, and keeps the newest`(keep: Int?) throws {
        var command = CommandSettings(words: ["true"])
        (command.stream, command.keep, command.remove) = (.ndjson, keep, FieldPath(".gone"))
        feed = FeedSettings(list: "a", source: .command(command))
        let states = Collected()
        let lines = StreamedLines(.ndjson, RowMapping(), remove: command.remove, named: "it") { states.append($0) }
        var (state, model, random) = (Snapshot(), [String](), SplitMix64(seed: 7))
        for _ in 0..<500 {
            let (id, isRemoval) = ("\(Int.random(in: 0..<12, using: &random))", Bool.random(using: &random))
            let mark = isRemoval ? ["1", "true", "\"x\"", "{}"] : ["null", "false"]
            lines.append(Array("{\"id\":\"\(id)\",\"gone\":\(mark.randomElement(using: &random) ?? "")}\n".utf8))
            if isRemoval { model.removeAll { $0 == id } } else if !model.contains(id) { model.append(id) }
            if let keep { model = model.suffix(keep) }
            guard case .change(let change)? = states.values.last else { throw FeedError("no change") }
            state = try feed.state(from: state, whole: nil, changes: [change])
            #expect(state.itemIdentifiers.map { "\($0)" } == model)
        }
    }

    @Test mutating func `a stream without keep stops at the limit, and says how to go on`() throws {
        var command = CommandSettings(words: ["true"])
        command.stream = .ndjson
        feed = FeedSettings(list: "a", source: .command(command))
        let items = try (0..<FeedLimits.streamItemsMax).map { Item(id: try ItemID("\($0)")) }
        let state = try feed.state(from: Snapshot(), whole: nil, changes: [.merge(.items(items))])
        let error = #expect(throws: FeedError.self) {
            try feed.state(from: state, whole: nil, changes: [.merge(input(#"[{"id":"a"}]"#))])
        }
        #expect(error?.description.contains("more than 100,000 items") == true)
    }

    @Test func `an id that stands twice is an error`() throws {
        #expect(throws: InputError.self) { try input(#"[{"id":"a"},{"id":"a"}]"#) }
    }

    @Test func `lines come in any parts, and of states only the last counts`() throws {
        for stream in CommandSettings.Stream.allCases {
            let states = Collected()
            let lines = StreamedLines(stream, RowMapping(), named: "it") { states.append($0) }
            let text =
                stream == .states
                ? "[{\"id\":\"a\"}]\n[{\"id\":\"b\"}]\n[{" : "{\"id\":\"a\"}\n\n{\"id\":\"b\"}\n{"
            for byte in text.utf8 { lines.append([byte]) }
            try lines.end()
            #expect(states.values.count == 2)
            let whole = Collected()
            let atOnce = StreamedLines(stream, RowMapping(), named: "it") { whole.append($0) }
            atOnce.append(Array(text.utf8))
            #expect(whole.values.count == (stream == .states ? 1 : 2))
        }
    }
}

/// The contents of items in the list `feeds`.
@Suite struct FeedStatusTests {
    @Test func `a feed that fails says why, in as many lines as that takes`() {
        var status = FeedStatus(list: "a", source: "command")
        func content() -> String { status.item.content.map { String(decoding: $0.bytes, as: UTF8.self) } ?? "" }
        #expect(content() == #"{"text":"a","lines":0,"state":"waiting","source":"command","badge":"waiting"}"#)
        (status.state, status.lastSuccess) = (.fed, 5)
        #expect(
            content()
                == #"{"text":"a","lines":0,"state":"fed","source":"command","badge":{"text":"fed","tint":"green"},"lastSuccess":5}"#
        )
        (status.state, status.message) = (.failing, "no")
        #expect(
            content() == """
                {"text":"a: no","lines":0,"state":"failing","source":"command","badge":{"text":"failing","tint":"red"},\
                "tint":"red","message":"no","lastSuccess":5}
                """)
    }
}
