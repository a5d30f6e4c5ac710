import Diffable
import DiffableJSON
import DiffableView
import Testing

@Suite struct LookCheckTests {
    @Test(arguments: [
        (#"{"layout":"table","columns":["a",{"path":".b","align":"right"}],"separators":true}"#, [String]()),
        (#"{"kinds":{"todo":{"text":{"path":"/name"},"tint":"red"}},"empty":"None"}"#, []),
        (#"{"layuot":"table"}"#, ["layuot"]),
        (#"{"appearance":"gruped"}"#, [#"appearance cannot be "gruped""#]),
        (
            #"{"layout":{"type":"grid","colums":2},"separators":"yes"}"#,
            [#"separators cannot be "yes""#, "layout.colums"]
        ),
        (#"{"kinds":{"todo":{"tint":"pink","txt":"a"}}}"#, [#"kinds.todo.tint cannot be "pink""#, "kinds.todo.txt"]),
        (#"{"kinds":{"":{"tint":"pink"}}}"#, [#"kinds."".tint cannot be"#]),
        (#"{"columns":[{"path":"a","align":"top"}],"header":{"bage":1}}"#, ["header.bage", "columns.0.align"]),
    ])
    func `a look of the user's own is checked, member by member`(look: String, wanted: [String]) throws {
        let complaints = LookCheck.complaints(of: try Content(json: look))
        #expect(complaints.count == wanted.count, "\(complaints)")
        for (complaint, part) in zip(complaints, wanted) { #expect(complaint.contains(part), "\(complaint)") }
    }

    @Test(arguments: [
        (#"{"icon":"x","folder":"in","tint":"red","actions":[{"id":"kill"}],"n":1}"#, [String]()),
        (#"{"tint":"pink","urgent":"yes","text":["a"]}"#, [#"tint cannot be "pink""#, "urgent", "text"]),
        (#""a""#, []),
    ])
    func `of an item's content, what viewers know is checked`(content: String, wanted: [String]) throws {
        let complaints = LookCheck.itemComplaints(of: try Content(json: content))
        #expect(complaints.count == wanted.count, "\(complaints)")
        for (complaint, part) in zip(complaints, wanted) { #expect(complaint.contains(part), "\(complaint)") }
    }

    @Test func `what the user is told at the start is in the status line until a key is pressed`() throws {
        var screen = ViewerScreen { $0.notice = "look.json: nobody knows it" }
        screen.show(try .numbered(0..<3))
        #expect(screen.status.contains("nobody knows it"))
        screen.press("j")
        #expect(!screen.status.contains("nobody knows it"))
    }
}
