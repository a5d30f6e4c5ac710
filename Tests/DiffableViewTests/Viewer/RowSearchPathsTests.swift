import Diffable
import DiffableJSON
import DiffableView
import TestSupport
import Testing

/// The results of searches, with the daemon's code in the same process.
@Suite struct SearchedPlacesTests {
    /// Returns the items that match a typed search, in order.
    private func found(_ search: String, in list: Snapshot) throws -> [String] {
        var screen = ViewerScreen(rows: 40)
        screen.show(list)
        screen.press("/" + search)
        try screen.answer(list)
        let ids = screen.snapshot.itemIdentifiers.filter { screen.line($0) != nil }
        #expect(ids == screen.snapshot.itemIdentifiers, "all that was found is seen")
        return ids.map(\.description)
    }

    private func list(_ json: String) throws -> Snapshot { try Snapshot(fixture: json) }

    @Test(arguments: [
        ("milk", "a"), ("farm", "a"), ("new", "a"), ("monthly", "a"), ("hint", "a"), ("spoken", "a"), ("dairy", "a"),
        ("bread", "b"), ("7", "b"), ("red", ""), ("green", ""), ("folder", ""), ("delete", ""), ("burn", ""),
        ("popUpMenu", ""), ("secret", ""), ("text", ""), ("row-b", ""), ("Buy", "c"), ("later", ""), ("unseen", "e"),
        ("row-f", "f"), ("only", "g"), ("also", ""), ("42", "h"),
    ])
    func `a search finds what rows show, and keywords, and nothing else`(search: String, ids: String) throws {
        let list = try list(
            #"""
            {"content":{"title":"red list","trailingActions":[{"id":"burn","title":"Burn","patch":{}}]},"sections":[{"id":"s","items":[
              {"id":"a","content":{"text":"Milk","secondaryText":"from the farm","tint":"red","icon":"folder","keywords":"dairy",
                "badge":{"text":"new","tint":"green"},"tooltip":"a hint","accessibilityLabel":"Spoken","note":"secret",
                "accessories":[{"type":"popUpMenu","text":"Monthly","tint":"red"}],
                "actions":[{"id":"delete","title":"Delete","patch":{"text":"secret"}}]}},
              {"id":"row-b","content":{"text":"Bread","badge":7,"description":"crusty","title":"secret"}},
              {"id":"c","content":{"title":"Buy","label":"Later","note":"secret"}},
              {"id":"e","content":{"icon":"folder","tint":"red","file":"Unseen no longer","note":"secret"}},
              {"id":"row-f","content":{"done":false}},
              {"id":"g","content":"only this"},
              {"id":"i","content":{"text":"  ","name":"Tea","word":"also"}},
              {"id":"h","content":42}]}]}
            """#)
        let expected = ids.isEmpty ? [] : [ids == "b" ? "row-b" : ids == "f" ? "row-f" : ids]
        #expect(try found(search, in: list) == expected)
    }

    @Test(arguments: [
        ("offer", "m"), ("ada", "m t"), ("12", "m t"), ("tables", "t"), ("hidden", ""), ("same", ""), ("plain", "p"),
    ])
    func `what a kind says of its items decides where they are searched`(search: String, ids: String) throws {
        let list = try list(
            #"""
            {"content":{"kinds":{
                "mail":{"text":{"path":"/subject"},"secondaryText":{"path":"/from"},"badge":{"text":{"path":"/size"}}},
                "task":{"text":{"path":"/what"},"secondaryText":{"path":"/from"},"tooltip":{"path":"/size"}},
                "fixed":{"text":"Same for all"}}},
             "sections":[{"id":"s","items":[
              {"id":"m","kind":"mail","content":{"subject":"An offer","from":"Ada","size":12,"what":"hidden"}},
              {"id":"t","kind":"task","content":{"what":"Tables","from":"Ada","size":12,"subject":"hidden"}},
              {"id":"f","kind":"fixed","content":{"title":"hidden"}},
              {"id":"p","content":{"text":"Plain","subject":"hidden","from":"hidden"}}]}]}
            """#)
        #expect(try found(search, in: list) == ids.split(separator: " ").map(String.init))
    }

    @Test(arguments: [
        ("ada", "1"), ("4077", "2"), ("12.5", "1"), ("sh", "2"), ("secret", ""), ("red", ""), ("text", ""),
        ("badge", "1"),
    ])
    func `of a table the columns are searched, with those that do not fit`(search: String, ids: String) throws {
        let items = #"""
            [{"id":"1","content":{"pid":812,"user":"ada","cpu":12.5,"command":"swift-build","text":"text","note":"secret","badge":"a badge"}},
             {"id":"2","content":{"pid":4077,"user":"bob","cpu":3,"command":"sh","tint":"red","note":"secret"}}]
            """#
        for path in [("/pid", "/user", "/cpu", "/command"), ("pid", ".user", "cpu", "command")] {
            let list = try list(
                #"""
                {"content":{"layout":"table","columns":["\#(path.0)",{"path":"\#(path.1)","width":30},{"path":"\#(path.2)","width":40},"\#(path.3)"]},
                 "sections":[{"id":"s","items":\#(items)}]}
                """#)
            #expect(try found(search, in: list) == (ids.isEmpty ? [] : [ids]))
        }
        // Without columns a table shows the members of its items.
        let all = try list(#"{"content":{"layout":"table"},"sections":[{"id":"s","items":\#(items)}]}"#)
        let inAll = ["secret": ["1", "2"], "text": ["1"]][search] ?? (ids.isEmpty ? [] : [ids])
        #expect(try found(search, in: all) == inAll)
    }

    @Test func `in a long list whose sections have columns of their own all is searched, so that nothing is missed`()
        throws
    {
        var screen = ViewerScreen()
        let list = try list(
            #"""
            {"sections":[{"id":"s","content":{"layout":"table","columns":["/a"]},"items":[{"id":"i","content":{"a":1,"b":"hidden"}}]}]}
            """#)
        screen.showJustNow(list, extent: .init(offset: 0, total: 5_000))
        for _ in 0..<3 {
            guard let number = screen.takeQuestion()?.number else { break }
            screen.showJustNow(list, extent: .init(offset: 0, total: 5_000), queryNumber: number)
        }
        screen.press("/h")
        #expect(screen.takeQuestion()?.json.contains(#""search":"h""#) == true)
    }

    @Test func `a search that is given at the start looks at what is shown as soon as that is known`() throws {
        let list = try list(
            #"{"sections":[{"id":"s","items":[{"id":"a","content":{"text":"A","note":"milk"}},{"id":"b","content":{"text":"Milk"}}]}]}"#
        )
        var screen = ViewerScreen { $0.filter.search = "milk" }
        screen.showJustNow(list)
        try screen.answer(list)
        #expect(screen.snapshot.itemIdentifiers == ["b"])
    }

    @Test func `n finds the next row that shows the words`() throws {
        let list = try list(
            #"""
            {"sections":[{"id":"s","items":[{"id":"a","content":{"text":"Milk"}},{"id":"b","content":{"text":"B","tint":"red","note":"milk"}},
              {"id":"c","content":{"text":"More milk"}}]}]}
            """#)
        var screen = ViewerScreen()
        screen.show(list)
        screen.press("/milk")
        try screen.answer(list)
        screen.press(.enter)
        screen.press(.escape)
        try screen.answer(list)
        #expect(screen.cursor == "a")
        screen.press("n")
        #expect(screen.cursor == "c")
    }

    // MARK: - Collapsed items

    private func outline() throws -> Snapshot {
        try list(
            #"""
            {"sections":[{"id":"s","items":[
              {"id":"p","collapsed":true,"content":{"text":"Parent"},"children":[
                {"id":"q","collapsed":true,"content":{"text":"Inner"},"children":[{"id":"x","content":{"text":"Needle"}},{"id":"y","content":{"text":"Hay"}}]}]},
              {"id":"o","content":{"text":"Open"},"children":[{"id":"z","content":{"text":"Needle too"}}]}]}]}
            """#)
    }

    private func rows(_ screen: ViewerScreen) -> [String] {
        screen.viewer.scene.frames.compactMap { if case .item(let id) = $0.id { id.description } else { nil } }
    }

    @Test func `the ancestors of a match are expanded while it is searched for, and then collapsed as they were`()
        throws
    {
        let list = try outline()
        var screen = ViewerScreen(rows: 20)
        screen.show(list)
        #expect(rows(screen) == ["p", "o", "z"])
        screen.press("j")
        screen.press(.left)
        #expect(rows(screen) == ["p", "o"])
        screen.press("/needle")
        try screen.answer(list)
        #expect(rows(screen) == ["p", "q", "x", "o", "z"])
        #expect(screen.status.contains("/5"))
        screen.press(.enter)
        screen.press(.escape)
        try screen.answer(list)
        #expect(rows(screen) == ["p", "o"], "\(screen.grid.text)")
    }

    @Test func `what is collapsed in a search stays so until it ends, and no longer`() throws {
        let list = try outline()
        var screen = ViewerScreen(rows: 20)
        screen.show(list)
        screen.press("/needle")
        try screen.answer(list)
        screen.press(.enter)
        screen.press("g")
        screen.press(.left)
        #expect(rows(screen) == ["p", "o", "z"])
        screen.press(.right)
        screen.press(.right)
        #expect(rows(screen) == ["p", "q", "x", "o", "z"] && screen.cursor == "q")
        screen.press(.left)
        screen.press(.escape)
        try screen.answer(list)
        #expect(rows(screen) == ["p", "o", "z"])
        screen.press("/needle")
        try screen.answer(list)
        #expect(rows(screen) == ["p", "q", "x", "o", "z"])
    }

    @Test func `a condition opens what is above its matches, too`() throws {
        let list = try outline().applying([
            .reconfigureItems([ItemReconfiguration(id: "x", content: try Content(json: #"{"text":"Needle","n":1}"#))])
        ])
        var screen = ViewerScreen(rows: 20)
        screen.show(list)
        screen.press("wn=1")
        screen.press(.enter)
        try screen.answer(list)
        #expect(rows(screen) == ["p", "q", "x"])
    }

    @Test func `an outline that the daemon folds comes as it was when a search ends`() throws {
        let few = try outline()
        let list = try few.applying([
            .appendItems(try (0..<2_100).map { Item(id: try ItemID("n\($0)")) })
        ])
        var screen = ViewerScreen(rows: 20)
        try screen.open(list)
        #expect(rows(screen).prefix(3) == ["p", "o", "z"])
        // The first item is expanded, the other one collapsed.
        screen.press(.right)
        try screen.answer(list)
        screen.press("jj")
        screen.press(.left)
        try screen.answer(list)
        #expect(rows(screen).prefix(3) == ["p", "q", "o"] && !rows(screen).contains("z"))
        screen.press("/needle")
        try screen.answer(list)
        #expect(rows(screen) == ["p", "q", "x", "o", "z"])
        screen.press(.escape)
        try screen.answer(list)
        #expect(rows(screen).prefix(3) == ["p", "q", "o"] && !rows(screen).contains("z"))
    }
}

extension ViewerScreen {
    /// Shows the daemon's answer to the first view.
    mutating func open(_ list: Snapshot) throws {
        try show(list, through: viewer.initialView, number: 0)
        try answer(list)
    }

    /// Shows the daemon's answers until the viewer asks nothing more.
    mutating func answer(_ list: Snapshot) throws {
        while let (json, number) = takeQuestion() { try show(list, through: json, number: number) }
    }

    private mutating func show(_ list: Snapshot, through json: String, number: Int) throws {
        let view = try Array(json.utf8).withUnsafeBytes { try View(json: $0) }
        let (rows, extent) = view.evaluate(list)
        showJustNow(rows, extent: extent, queryNumber: number)
    }
}
