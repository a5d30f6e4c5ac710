import Diffable
import DiffableJSON
import DiffableProtocol
import Testing

/// Checks that a `null` member equals a missing one in every object, with exceptions that the page names.
///
/// The decoder itself lists the members of an object, so new members are checked automatically.
struct NullMemberTests {
    /// Lines that contain each object that the daemon reads.
    private static let lines = [
        #"{"jsonrpc":"2.0","id":1,"method":"hello","params":{"name":"bar","maxLine":1048576}}"#,
        #"{"id":1,"method":"restrict","params":{"methods":["ping"],"lists":["t*"]}}"#,
        #"{"id":1,"method":"createList","params":{"list":"t","durability":"volatile","mode":"0640","ifAbsent":true,"lease":"connection"}}"#,
        #"{"id":1,"method":"createList","params":{"list":"t","shared":true}}"#,
        #"{"id":1,"method":"attach","params":{"host":"h","space":"s","replace":true}}"#,
        #"{"id":1,"method":"hosts","params":{"hosts":["alpha"]}}"#,
        #"{"id":1,"method":"replicate","params":{"list":"t","epoch":"e","batches":["x"],"live":true,"gone":true,"access":"{}"}}"#,
        #"{"id":1,"method":"replicate","params":{"list":"t","epoch":"e","state":"x","batch":1,"revision":1,"chain":"","more":true}}"#,
        #"{"id":1,"method":"settle","params":{"call":1,"outcome":"lost"}}"#,
        #"{"id":1,"method":"checkpoint","params":{"list":"t"}}"#,
        #"{"id":1,"method":"lists","params":{"deleted":true}}"#,
        #"{"id":1,"method":"lists","params":{"actions":true}}"#,
        #"{"id":1,"method":"clients","params":{"actions":true}}"#,
        #"{"id":1,"method":"followLists","params":{"content":true,"minInterval":5}}"#,
        #"{"id":1,"method":"deleteList","params":{"list":"t","ifRevision":3,"keep":"required"}}"#,
        #"{"id":1,"method":"undeleteList","params":{"list":"t","epoch":"e","as":"u"}}"#,
        #"{"id":1,"method":"renameList","params":{"list":"t","to":"u","ifRevision":3}}"#,
        #"{"id":1,"method":"mirror","params":{"list":"t","of":"h:t","live":true,"replace":true,"end":false}}"#,
        #"{"id":1,"method":"snapshot","params":{"list":"t","at":4,"view":{"search":"milk"}}}"#,
        #"{"id":1,"method":"transact","params":{"list":"t","ifRevision":7,"requestKey":"k","dryRun":true,"more":true,"operations":[OPERATIONS]}}"#,
        #"{"id":1,"method":"transact","params":{"list":"t","operations":[],"lease":"connection"}}"#,
        #"{"id":1,"method":"apply","params":{"list":"t","snapshot":{"content":{"n":1},"sections":[SECTION]},"usingReloadData":true,"ifRevision":0,"dryRun":true}}"#,
        #"{"id":1,"method":"apply","params":{"list":"t","section":"s","snapshot":[ITEM],"requestKey":"k"}}"#,
        #"{"id":1,"method":"apply","params":{"list":"t","section":"s","operations":[],"lease":"connection","more":false}}"#,
        #"{"id":1,"method":"subscribe","params":{"list":"t","since":{"epoch":"e","revision":7},"view":VIEW,"deliver":"patches","minInterval":5,"bookmark":50,"ifAbsent":"wait","once":true}}"#,
        #"{"id":1,"method":"subscribe","params":{"list":"t","view":{"sort":[{"path":"/n","descending":true,"numeric":true}],"window":{"offset":1,"limit":2,"keep":["x"],"pins":["y"],"allSections":true}},"since":{"epoch":"e","revision":1,"view":{}}}}"#,
        #"{"id":1,"method":"setView","params":{"subscription":3,"view":{"where":{"path":"/n","contains":null},"expansion":"own"}}}"#,
        #"{"id":1,"method":"setView","params":{"subscription":3,"view":{"where":{"path":"/n","greaterThan":1,"atLeast":0,"atMost":9},"expansion":"own","toggled":["x"]}}}"#,
        #"{"id":1,"method":"unsubscribe","params":{"subscription":3}}"#,
        #"{"id":1,"method":"history","params":{"list":"t","limit":5}}"#,
        #"{"id":1,"method":"difference","params":{"list":"t","from":4,"to":2}}"#,
        #"{"id":1,"method":"undo","params":{"list":"t","to":4,"ifRevision":7,"requestKey":"k","dryRun":true}}"#,
        #"{"id":1,"method":"undo","params":{"list":"t","steps":4}}"#,
        #"{"id":1,"method":"redo","params":{"list":"t","steps":4,"ifRevision":7,"requestKey":"k","dryRun":true}}"#,
        #"{"id":1,"method":"restore","params":{"list":"t","operations":[],"mode":"0600","owner":1,"group":1,"more":true}}"#,
        #"{"id":1,"method":"restore","params":{"replace":true,"more":false}}"#,
        #"{"id":1,"method":"setAccess","params":{"list":"t","mode":"0640","owner":1,"group":2}}"#,
        #"{"id":1,"method":"setSchemas","params":{"list":"t","schemas":{"":true},"others":"allow","existing":"keep"}}"#,
        #"{"id":1,"method":"schemas","params":{"list":"t"}}"#,
        #"{"id":1,"method":"restore","params":{"list":"t","operations":[],"schemas":{"":true},"others":"refuse","existing":"check","more":true}}"#,
        #"{"id":1,"method":"perform","params":{"list":"t","action":"a","items":["x"],"arguments":{"n":1},"ifRevision":7,"timeout":9}}"#,
        #"{"id":1,"method":"perform","params":{"list":"t","action":"a","section":"s"}}"#,
        #"{"id":1,"method":"propose","params":{"list":"t","ifRevision":7,"requestKey":"k","dryRun":true,"more":true,"timeout":9,"operations":[]}}"#,
        #"{"id":1,"method":"propose","params":{"list":"t","lease":"connection","operations":[]}}"#,
        #"{"id":1,"method":"expand","params":{"list":"t","item":"x","timeout":9}}"#,
        #"{"id":1,"method":"handle","params":{"list":"t","requests":["perform"],"actions":["a"],"replace":true}}"#,
        #"{"id":1,"method":"unhandle","params":{"handler":1}}"#,
        #"{"id":1,"method":"answer","params":{"request":1,"result":{"n":1},"operations":[]}}"#,
        #"{"id":1,"method":"answer","params":{"request":1,"refusal":"no"}}"#,
    ].map {
        $0.replacing("OPERATIONS", with: operations.joined(separator: ",")).replacing("SECTION", with: section)
            .replacing("ITEM", with: item).replacing("VIEW", with: view)
    }

    private static let item =
        #"{"id":"x","kind":"k","content":{"n":1},"expanded":true,"children":[{"id":"y","content":2}]}"#
    private static let section = #"{"id":"s","content":1,"items":[\#(item)]}"#
    private static let view =
        #"{"sections":["s"],"where":{"and":[{"path":"/n","lessThan":2},{"not":{"or":[{"path":"id","equals":"z"},{"path":"/t","prefix":"q"},{"path":"/u","exists":true}]}}]},"search":"m","sort":["/n",{"path":"/n","descending":true}],"expansion":"own","expanded":["x"],"window":{"anchor":"y","limit":5}}"#
    private static let operations = [
        #"{"op":"reconfigureList","content":{"n":1}}"#, #"{"op":"patchList","content":{"n":null}}"#,
        #"{"op":"appendSections","sections":[\#(section)]}"#,
        #"{"op":"insertSections","before":"s","sections":[]}"#,
        #"{"op":"insertSections","after":"s","sections":[]}"#,
        #"{"op":"deleteSections","sections":["s"],"ifPresent":true}"#,
        #"{"op":"moveSection","section":"s","after":"t"}"#,
        #"{"op":"reloadSections","sections":["s",{"id":"t","content":1}]}"#,
        #"{"op":"appendItems","section":"s","parent":"x","items":[\#(item)]}"#,
        #"{"op":"insertItems","before":"x","section":"s","parent":"y","items":[]}"#,
        #"{"op":"insertItems","after":null,"section":"s","items":[]}"#,
        #"{"op":"deleteItems","items":["x"],"ifPresent":true}"#,
        #"{"op":"deleteAllItems"}"#,
        #"{"op":"moveItem","item":"x","after":"y","section":"s"}"#,
        #"{"op":"moveItem","item":"x","section":"s"}"#,
        #"{"op":"reconfigureItems","items":["x",{"id":"y","content":1}]}"#,
        #"{"op":"patchItems","items":[{"id":"x","content":{"n":null}}]}"#,
        #"{"op":"reloadItems","items":["x",{"id":"y","kind":"k","content":1}]}"#,
        #"{"op":"expandItems","items":["x"]}"#,
        #"{"op":"collapseItems","items":["x"]}"#,
        #"{"op":"replaceChildren","parent":"x","items":[\#(item)]}"#,
    ]

    /// The members in which `null` is a value of its own, as docs/protocol.md lists them.
    private static let meanings: Set<String> = [
        "request.id",
        "insertSections.after", "moveSection.after", "insertItems.after", "moveItem.after",
        "insertItems.section", "moveItem.section",
        "reconfigureList.content", "patchList.content", "snapshot.content",
        "reloadSections.sections.content", "reconfigureItems.items.content", "patchItems.items.content",
        "reloadItems.items.content", "reloadItems.items.kind",
        "where.equals", "where.contains", "and.equals", "and.contains", "or.equals", "or.contains", "not.equals",
        "not.contains",
    ]

    @Test func `null for a member is the same as leaving it out, and where it is not the page says so`() throws {
        var differing: Set<String> = []
        var numberOfMembers = 0
        for line in Self.lines {
            let request = try JSONTree(line)
            #expect(throws: Never.self) { try decodeRequest(request.text).request.get() }
            try Self.visit(request, kind: "request", rebuild: { $0 }) { object, kind, rebuild in
                for name in try Self.members(of: object, rebuild) {
                    numberOfMembers += 1
                    let null = rebuild(object.with(name, .leaf("null"))).text
                    let absent = rebuild(object.with(name, nil)).text
                    if Self.answer(null) == Self.answer(absent) { continue }
                    let place = "\(kind).\(name)"
                    if !Self.meanings.contains(place) {
                        Issue.record("\(place)\n\(null)\n\(Self.answer(null))\n\(absent)\n\(Self.answer(absent))")
                    }
                    differing.insert(place)
                }
            }
        }
        // The condition in "not" is an "or" here.
        #expect(differing.union(["not.equals", "not.contains"]) == Self.meanings)
        #expect(numberOfMembers > 300)
    }

    @Test func `each method and each operation is among the examples`() throws {
        let methods = Set(try Self.lines.map { try JSONTree($0)["method"] })
        for method in Method.allCases where !(method.required + method.optional).isEmpty {
            #expect(methods.contains("\"\(method.rawValue)\""), "\(method)")
        }
        let refused = #"{"id":1,"method":"transact","params":{"list":"t","operations":[{"op":"zzzzzzzzzzzz"}]}}"#
        let operations = Set(try Self.operations.map { try JSONTree($0)["op"] })
        for name in Self.names(after: "; there are ", in: Self.answer(refused)) {
            #expect(operations.contains("\"\(name)\""), "\(name)")
        }
    }

    // MARK: -

    /// Visits each object that the daemon interprets, with a function that rebuilds the whole line from a replacement.
    private static func visit(
        _ tree: JSONTree, kind: String, rebuild: @escaping (JSONTree) -> JSONTree,
        _ body: (JSONTree, String, (JSONTree) -> JSONTree) throws -> Void
    ) throws {
        switch tree {
        case .leaf: break
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                let rebuild = { (replacement: JSONTree) in
                    var elements = elements
                    elements[index] = replacement
                    return rebuild(.array(elements))
                }
                try visit(element, kind: kind, rebuild: rebuild, body)
            }
        case .object(let members):
            let verb = tree["op"].map { String($0.dropFirst().dropLast()) }
            try body(tree, verb ?? kind, rebuild)
            for (name, value) in members
            where !["content", "equals", "contains", "schemas", "arguments", "result"].contains(name) {
                let rebuild = { (replacement: JSONTree) in rebuild(tree.with(name, replacement)) }
                try visit(value, kind: verb.map { "\($0).\(name)" } ?? name, rebuild: rebuild, body)
            }
        }
    }

    /// Returns the members of such an object, from the error for an unknown one.
    private static func members(of object: JSONTree, _ rebuild: (JSONTree) -> JSONTree) throws -> [String] {
        let answer = answer(rebuild(object.with("zzzzzzzzzzzz", .leaf("1"))).text)
        let names = names(after: "; it has ", in: answer)
        try #require(!names.isEmpty || answer.contains("it has none"), "\(answer)")
        return names
    }

    private static func names(after words: String, in answer: String) -> [String] {
        guard let range = answer.firstRange(of: words) else { return [] }
        return answer[range.upperBound...].split(separator: ",").map { String($0.drop { $0 == " " }) }
    }

    /// Returns the daemon's answer to a line, without positions in the text.
    private static func answer(_ line: String) -> String {
        let decoded = decodeRequest(line)
        switch decoded.request {
        case .failure(let error):
            return "\(decoded.id) \(error.code) \(error.message.replacing(#/ \(at byte \d+\)/#, with: ""))"
        case .success(let request):
            let (request, views) = request.withoutViews
            let shown = views.map(shown).joined(separator: " ")
            return "\(text { request.write(id: decoded.id, into: &$0) }) \(shown)"
        }
    }

    /// Returns the result of a view on a list that shows any difference, because the view's own text keeps the members.
    private static func shown(_ view: View) -> String {
        let items = ["x", "y", "z", "u"].enumerated().map { index, id in
            #"{"id":"\#(id)","kind":"k","content":{"n":\#(index),"m":[null],"t":"milk","u":1},"children":[{"id":"\#(id)2","content":{"n":null,"t":"m"}}]}"#
        }
        let list = try? sections(
            #"{"sections":[{"id":"s","items":[\#(items.joined(separator: ","))]},{"id":"t","items":[{"id":"v"}]}]}"#)
        guard let list = try? Snapshot(list ?? []) else { preconditionFailure("the list is good") }
        let (snapshot, extent) = view.evaluate(list)
        return "\(snapshot.sectionIdentifiers) \(snapshot.itemIdentifiers) \(String(describing: extent))"
    }
}

extension Request {
    fileprivate var withoutViews: (Request, [View]) {
        switch self {
        case .snapshot(var snapshot):
            let view = snapshot.view
            snapshot.view = View()
            return (.snapshot(snapshot), [view])
        case .subscribe(var subscribe):
            let views = [subscribe.view] + [subscribe.since?.view].compactMap { $0 }
            subscribe.view = View()
            if subscribe.since?.view != nil { subscribe.since?.view = View() }
            return (.subscribe(subscribe), views)
        case .setView(let change):
            return (.setView(SetView(View(), subscription: change.subscription)), [change.view])
        default: return (self, [])
        }
    }
}
