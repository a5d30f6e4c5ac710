import Diffable
import DiffableJSON
import DiffableProtocol
import TestSupport
import Testing

struct RequestTests {
    /// Every request in each of its forms.
    private static let requests = [
        #""method":"hello","params":{}"#,
        #""method":"hello","params":{"name":"bar","maxLine":1048576}"#,
        #""method":"restrict","params":{"methods":["ping","subscribe"]}"#,
        #""method":"restrict","params":{"lists":["tasks","menu*"]}"#,
        #""method":"restrict","params":{"methods":[],"lists":[]}"#,
        #""method":"ping","params":{}"#,
        #""method":"help","params":{}"#,
        #""method":"status","params":{}"#,
        #""method":"lists","params":{}"#,
        #""method":"followLists","params":{}"#,
        #""method":"followLists","params":{"content":true,"minInterval":250}"#,
        #""method":"createList","params":{"list":"tasks"}"#,
        #""method":"createList","params":{"list":"tasks","durability":"volatile","ifAbsent":true}"#,
        #""method":"deleteList","params":{"list":"tasks"}"#,
        #""method":"lists","params":{"deleted":true}"#,
        #""method":"lists","params":{"actions":true}"#,
        #""method":"clients","params":{"actions":true}"#,
        #""method":"undeleteList","params":{"list":"tasks"}"#,
        #""method":"undeleteList","params":{"list":"tasks","as":"chores"}"#,
        #""method":"renameList","params":{"list":"tasks","to":"chores"}"#,
        #""method":"renameList","params":{"list":"tasks","to":"chores","ifRevision":7}"#,
        #""method":"mirror","params":{"list":"tasks","of":"build:tasks"}"#,
        #""method":"mirror","params":{"list":"tasks","of":"build:tasks","live":true,"replace":true}"#,
        #""method":"mirror","params":{"list":"tasks","live":false}"#,
        #""method":"mirror","params":{"list":"tasks","end":true}"#,
        #""method":"createList","params":{"list":"tasks","shared":true}"#,
        #""method":"attach","params":{"host":"alpha"}"#,
        #""method":"attach","params":{"host":"alpha","space":"default","replace":true}"#,
        #""method":"hosts","params":{"hosts":[]}"#,
        #""method":"hosts","params":{"hosts":["alpha","beta"]}"#,
        #""method":"settle","params":{"call":7,"outcome":"refused"}"#,
        #""method":"settle","params":{"call":7,"outcome":"full"}"#,
        #""method":"replicate","params":{"list":"tasks","epoch":"e","left":true}"#,
        #""method":"replicate","params":{"list":"tasks","epoch":"e"}"#,
        #""method":"replicate","params":{"list":"tasks","epoch":"e","batches":["{\"batch\":1}","x"],"live":true,"access":"{}"}"#,
        #""method":"replicate","params":{"list":"tasks","epoch":"e","state":"a\"b","more":true}"#,
        #""method":"replicate","params":{"list":"tasks","epoch":"e","state":"","batch":7,"chain":"00f3a1b2c3d4e5f6"}"#,
        #""method":"replicate","params":{"list":"tasks","epoch":"e","live":false}"#,
        #""method":"replicate","params":{"list":"tasks","epoch":"e","gone":true}"#,
        #""method":"settle","params":{"call":7,"outcome":"done"}"#,
        #""method":"settle","params":{"call":7,"outcome":"unreachable"}"#,
        #""method":"checkpoint","params":{"list":"tasks"}"#,
        #""method":"snapshot","params":{"list":"tasks"}"#,
        #""method":"snapshot","params":{"list":"tasks","at":4,"mostRecent":true}"#,
        #""method":"snapshot","params":{"list":"tasks","notOlderThan":0}"#,
        #""method":"subscribe","params":{"list":"tasks","once":true,"mostRecent":true}"#,
        #""method":"subscribe","params":{"list":"tasks","notOlderThan":7}"#,
        #""method":"history","params":{"list":"tasks","limit":1,"notOlderThan":7}"#,
        #""method":"difference","params":{"list":"tasks","from":1,"to":7,"mostRecent":true}"#,
        #""method":"transact","params":{"list":"tasks","operations":[]}"#,
        #""method":"transact","params":{"list":"tasks","operations":[{"op":"deleteAllItems"}],"ifRevision":7,"dryRun":true}"#,
        #""method":"transact","params":{"list":"tasks","operations":[{"op":"deleteAllItems"}],"more":true}"#,
        #""method":"transact","params":{"list":"tasks","operations":[],"ifRevision":7,"requestKey":"k1"}"#,
        #""method":"apply","params":{"list":"tasks","snapshot":{"sections":[]},"requestKey":"k1"}"#,
        #""method":"undo","params":{"list":"tasks","to":4,"requestKey":"k1"}"#,
        #""method":"createList","params":{"list":"tasks","ifAbsent":true,"lease":"connection"}"#,
        #""method":"transact","params":{"list":"tasks","operations":[],"lease":"connection","dryRun":true}"#,
        #""method":"apply","params":{"list":"tasks","snapshot":{"sections":[]},"lease":"connection"}"#,
        #""method":"apply","params":{"list":"tasks","snapshot":{"sections":[]}}"#,
        #""method":"apply","params":{"list":"tasks","snapshot":{"sections":[{"id":"a","items":[{"id":"x","expanded":false},{"id":"y"}]}]},"usingReloadData":true,"ifRevision":0}"#,
        #""method":"apply","params":{"list":"tasks","section":"a","snapshot":[{"id":"x","expanded":true}],"dryRun":true}"#,
        #""method":"apply","params":{"list":"tasks","operations":[{"op":"appendItems","section":"a","items":[{"id":"x","expanded":false}]}],"more":true}"#,
        #""method":"apply","params":{"list":"tasks","section":"a","operations":[]}"#,
        #""method":"subscribe","params":{"list":"tasks"}"#,
        #""method":"subscribe","params":{"list":"tasks","once":true}"#,
        #""method":"subscribe","params":{"list":"tasks","deliver":"snapshots","minInterval":1,"bookmark":10,"ifAbsent":"wait"}"#,
        #""method":"subscribe","params":{"list":"tasks","deliver":"patches","minInterval":3600000,"bookmark":3600000}"#,
        #""method":"unsubscribe","params":{"subscription":3}"#,
        #""method":"snapshot","params":{"list":"tasks","at":4,"view":{"search":"milk"}}"#,
        #""method":"subscribe","params":{"list":"tasks","since":{"epoch":"k3v9","revision":7},"view":{"sections":["a"],"where":{"path":"/n","lessThan":2},"sort":["/n",{"path":"/text","descending":true}],"expansion":"own","expanded":["x"],"window":{"anchor":"x","limit":50}},"once":true}"#,
        #""method":"subscribe","params":{"list":"tasks","since":{"epoch":"k3v9","revision":7,"view":{}},"view":{"window":{"offset":3,"limit":50,"keep":["x"],"pins":["y"],"allSections":true}}}"#,
        #""method":"subscribe","params":{"list":"tasks","since":{"epoch":"k3v9","revision":7,"view":{"search":"x"}},"view":{"window":{"anchor":"x","before":3,"limit":50}}}"#,
        #""method":"setView","params":{"subscription":3,"view":{"window":{"offset":10,"limit":50}}}"#,
        #""method":"setView","params":{"subscription":3,"view":{}}"#,
        #""method":"history","params":{"list":"tasks"}"#,
        #""method":"history","params":{"list":"tasks","limit":5}"#,
        #""method":"difference","params":{"list":"tasks","from":4,"to":2}"#,
        #""method":"undo","params":{"list":"tasks"}"#,
        #""method":"undo","params":{"list":"tasks","to":4,"ifRevision":7,"dryRun":true}"#,
        #""method":"undo","params":{"list":"tasks","steps":2,"requestKey":"k1"}"#,
        #""method":"redo","params":{"list":"tasks","ifRevision":7,"dryRun":true}"#,
        #""method":"redo","params":{"list":"tasks","steps":3}"#,
        #""method":"clients","params":{}"#,
        #""method":"reload","params":{}"#,
        #""method":"backup","params":{}"#,
        #""method":"deleteList","params":{"list":"tasks","ifRevision":7}"#,
        #""method":"createList","params":{"list":"tasks","mode":"0640"}"#,
        #""method":"restore","params":{"list":"tasks","mode":"0640","owner":1,"group":2,"operations":[],"more":true}"#,
        #""method":"restore","params":{"replace":true,"more":false}"#,
        #""method":"setAccess","params":{"list":"tasks","mode":"0640","owner":1,"group":2}"#,
        #""method":"setSchemas","params":{"list":"tasks","schemas":{}}"#,
        #""method":"setSchemas","params":{"list":"tasks","schemas":{"":true,"todo":{"type":"object"}},"others":"refuse","existing":"keep"}"#,
        #""method":"schemas","params":{"list":"tasks"}"#,
        #""method":"restore","params":{"list":"tasks","mode":"0640","schemas":{"todo":false},"others":"refuse","existing":"keep","operations":[],"more":true}"#,
        #""method":"perform","params":{"list":"tasks","action":"clear"}"#,
        #""method":"perform","params":{"list":"tasks","action":"done","items":[]}"#,
        #""method":"perform","params":{"list":"tasks","action":"done","items":["milk","tea"],"arguments":{"at":[1,null]},"ifRevision":7,"timeout":1}"#,
        #""method":"perform","params":{"list":"tasks","action":"done","section":"a","arguments":"now","timeout":600000}"#,
        #""method":"propose","params":{"list":"tasks","operations":[{"op":"deleteAllItems"}]}"#,
        #""method":"propose","params":{"list":"tasks","operations":[],"ifRevision":7,"requestKey":"k1","dryRun":true,"timeout":5000}"#,
        #""method":"propose","params":{"list":"tasks","operations":[],"lease":"connection","more":false}"#,
        #""method":"expand","params":{"list":"tasks","item":"milk"}"#,
        #""method":"expand","params":{"list":"tasks","item":"milk","timeout":5000}"#,
        #""method":"handle","params":{"list":"tasks","requests":["propose","expand"]}"#,
        #""method":"handle","params":{"list":"tasks","requests":["perform","propose","expand"],"actions":["done","undone"],"replace":true}"#,
        #""method":"unhandle","params":{"handler":3}"#,
        #""method":"answer","params":{"request":7}"#,
        #""method":"answer","params":{"request":7,"result":{"n":[1]},"operations":[{"op":"deleteAllItems"}]}"#,
        #""method":"answer","params":{"request":7,"refusal":"not today"}"#,
    ]

    @Test func `each method is among the requests`() {
        for method in Method.allCases {
            let members = #""method":"\#(method.rawValue)","params":{"#
            #expect(Self.requests.contains { $0.hasPrefix(members) }, "\(method)")
        }
    }

    /// A line with another method in the tables also fails here.
    @Test(arguments: requests) func `a request is written as it was read`(members: String) throws {
        for id in ["1", "-5", #""a\u0041\"""#, "null"] {
            let line = #"{"jsonrpc":"2.0","id":\#(id),\#(members)}"#
            let decoded = decodeRequest(line)
            let request = try decoded.request.get()
            #expect(text { request.write(id: decoded.id, into: &$0) } == line + "\n")
        }
    }

    @Test func `members may come in any order, and jsonrpc may be left out`() throws {
        let decoded = decodeRequest(
            #" { "params" : { "once":null, "list" : "t" }, "method" : "subscribe" , "id" : 1 } "#)
        #expect(decoded.id == .number(1))
        guard case .subscribe(let subscribe) = try decoded.request.get() else {
            Issue.record("not a subscribe")
            return
        }
        #expect(subscribe.list == "t")
        #expect(subscribe.since == nil)
        #expect(subscribe.view.isEverything)
        #expect(subscribe.duration == .lasting)
    }

    @Test func `a request without an id is to have no reply`() throws {
        #expect(decodeRequest(#"{"method":"ping"}"#).id == .absent)
        // Not even a reply about an error.
        let decoded = decodeRequest(#"{"method":"pong"}"#)
        #expect(decoded.id == .absent)
        #expect(text { WireError(.invalidParams, "x").write(id: decoded.id, into: &$0) } == "")
        #expect(text { Reply.ping.write(id: decoded.id, into: &$0) } == "")
    }

    @Test(arguments: [
        (#"{"id":1,"method":"ping""#, -32700, "invalid JSON: the text ends too early at byte 23", "1"),
        (#"{"id":1,"method":"ping"} {}"#, -32700, "invalid JSON: text after the end of the value at byte 25", "1"),
        (
            #"{"id":1,"method":"nope","params":{]}"#, -32700,
            "invalid JSON: a member name in quotes is expected, not ']' at byte 34", "1"
        ),
        (
            "{\"method\":\"p\u{0}ing\"}", -32700,
            "invalid JSON: an unescaped control character (byte 0x00) in a string at byte 12", "null"
        ),
        (
            "\u{FEFF}{\"method\":\"ping\"}", -32700,
            "the line cannot be read: a byte order mark (JSON allows none) at byte 0", "null"
        ),
        (
            "[]", -32600,
            "JSON-RPC batches are not supported: send one request per line, and operations that belong together in one transact",
            "null"
        ),
        ("{}", -32600, "a request needs a method (at byte 0)", "null"),
        (#"{"id":4}"#, -32600, "a request needs a method (at byte 0)", "4"),
        (
            #"{"id":1.5,"method":"ping"}"#, -32600,
            "id must be a string, null or a 64-bit integer, not 1.5 (at byte 6)",
            "null"
        ),
        (
            #"{"id":[],"method":"ping"}"#, -32600,
            "id must be a string, null or a 64-bit integer, not an array (at byte 6)", "null"
        ),
        (#"{"id":7,"params":{}}"#, -32600, "a request needs a method (at byte 0)", "7"),
        (#"{"id":7,"method":null}"#, -32600, "a request needs a method (at byte 0)", "7"),
        (
            #"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600,
            #"jsonrpc must be "2.0" or left out, not "1.0" (at byte 12)"#, "1"
        ),
        (
            #"{"id":1,"method":"ping","extra":1}"#, -32600,
            #"a request has no member "extra"; it has jsonrpc, id, method, params (at byte 25)"#, "1"
        ),
        (#"{"id":1,"id":2,"method":"ping"}"#, -32600, #"a request has the member "id" twice (at byte 9)"#, "2"),
        (
            #"{"id":1,"method":"subscibe"}"#, -32601,
            #"method: there is no method "subscibe"; did you mean "subscribe"? (at byte 18)"#, "1"
        ),
        (
            #"{"params":{},"method":"x","id":"q"}"#, -32601,
            "params: there is no method \"x\"; there are hello, restrict, ping, help, status, clients, reload, lists, followLists, createList, deleteList, "
                + "undeleteList, renameList, mirror, snapshot, transact, apply, perform, propose, expand, handle, unhandle, answer, subscribe, setView, unsubscribe, history, difference, undo, redo, setAccess, setSchemas, schemas, backup, "
                + "restore, attach, hosts, replicate, settle, checkpoint (at byte 23)",
            "\"q\""
        ),
        (
            #"{"id":1,"method":"ping","params":[]}"#, -32602,
            "params of the method \"ping\" must be an object (with named members), not an array (at byte 33)", "1"
        ),
        (
            #"{"id":1,"method":"ping","params":7}"#, -32602,
            "params of the method \"ping\" must be an object (with named members), not 7 (at byte 33)", "1"
        ),
        (
            #"{"id":1,"method":"subscribe","params":{"lst":"t"}}"#, -32602,
            #"params: subscribe has no member "lst"; did you mean "list"? (at byte 40)"#, "1"
        ),
        (#"{"id":1,"method":"subscribe"}"#, -32602, "subscribe needs the parameter list (at byte 0)", "1"),
        (
            #"{"id":1,"method":"subscribe","params":{"list":""}}"#, -32602,
            "list is empty; an identifier is 1 to 255 bytes of UTF-8 (at byte 47)", "1"
        ),
        (
            #"{"method":"transact","params":{"list":"t","operations":[{"op":"deleteItems","items":[7]}]},"id":9}"#,
            -32602,
            "operations[0].items[0]: an item's id must be a string, not 7 (at byte 85)", "9"
        ),
        (
            #"{"id":1,"method":"transact","params":{"list":"t","operations":[],"ifRevision":-1}}"#, -32602,
            "ifRevision must be an integer from 0 to 9007199254740991, not -1 (at byte 78)", "1"
        ),
        (
            #"{"id":1,"method":"apply","params":{"list":"t"}}"#, -32602,
            "apply needs snapshot (or operations, to send it in parts) (at byte 0)", "1"
        ),
        (
            #"{"id":1,"method":"apply","params":{"list":"t","snapshot":[]}}"#, -32602,
            #"snapshot must be {"sections":[...]}; for an array of items, add section (at byte 0)"#, "1"
        ),
        (
            #"{"id":1,"method":"apply","params":{"list":"t","section":"a","snapshot":{"sections":[]}}}"#, -32602,
            "with section, snapshot must be an array of that section's items (at byte 0)", "1"
        ),
        (
            #"{"id":1,"method":"createList","params":{"list":"t","durability":"eternal"}}"#, -32602,
            #"durability must be "durable" or "volatile", not "eternal" (at byte 65)"#, "1"
        ),
        (
            #"{"id":1,"method":"subscribe","params":{"list":"t","deliver":"patch"}}"#, -32602,
            #"deliver must be "operations", "snapshots" or "patches", not "patch" (at byte 61)"#, "1"
        ),
        (
            #"{"id":1,"method":"subscribe","params":{"list":"t","minInterval":0}}"#, -32602,
            "minInterval must be an integer number of milliseconds from 1 to 3600000, not 0 (at byte 64)", "1"
        ),
        (
            #"{"id":1,"method":"subscribe","params":{"list":"t","minInterval":3600001}}"#, -32602,
            "minInterval must be an integer number of milliseconds from 1 to 3600000, not 3600001 (at byte 64)", "1"
        ),
        (
            #"{"id":1,"method":"subscribe","params":{"list":"t","bookmark":9}}"#, -32602,
            "bookmark must be an integer number of milliseconds from 10 to 3600000, not 9 (at byte 61)", "1"
        ),
        (
            #"{"id":1,"method":"subscribe","params":{"list":"t","ifAbsent":true}}"#, -32602,
            #"ifAbsent must be "wait" or left out, not true (at byte 61)"#, "1"
        ),
        (
            #"{"id":1,"method":"createList","params":{"list":"t","ifAbsent":"wait"}}"#, -32602,
            "ifAbsent must be true or false, not \"wait\" (at byte 62)", "1"
        ),
        (
            #"{"id":1,"method":"createList","params":{"list":"t","ifAbsent":"yes"}}"#, -32602,
            #"ifAbsent must be true or false, not "yes" (at byte 62)"#, "1"
        ),
        (
            #"{"id":1,"method":"subscribe","params":{"list":"t","ifAbsent":"create"}}"#, -32602,
            #"ifAbsent must be "wait" or left out, not "create" (at byte 62)"#, "1"
        ),
    ])
    func `a malformed request is answered with what is wrong`(line: String, code: Int, message: String, id: String) {
        let decoded = decodeRequest(line)
        #expect(text { $0.append(decoded.id, orAbsent: "absent") } == id)
        guard case .failure(let error) = decoded.request else {
            Issue.record("\(line) was taken")
            return
        }
        #expect(error.code.rawValue == code)
        #expect(error.message == message)
    }

    @Test func `what is too large is answered with the limit`() {
        let limits = DecodingLimits(depthMax: 8, contentLengthMax: 4, operationsMax: 1)
        let cases = [
            (
                #"{"id":1,"method":"transact","params":{"list":"t","operations":[{"op":"deleteAllItems"},{"op":"deleteAllItems"}]}}"#,
                #"{"jsonrpc":"2.0","id":1,"error":{"code":11,"message":"operations[1]: there are more than 1 operations (operationsMax) in one line; send them in parts: \"more\":true in all but the last, which has \"more\":false (at byte 87)","data":{"name":"tooLarge","list":"t","limit":"operationsMax","max":1,"offset":87}}}"#
            ),
            (
                #"{"id":1,"method":"transact","params":{"list":"t","operations":[{"op":"appendItems","items":[{"id":"x","content":12345}]}]}}"#,
                #"{"jsonrpc":"2.0","id":1,"error":{"code":11,"message":"operations[0].items[0].content: the content is longer than 4 bytes (contentLengthMax); store the rest elsewhere (at byte 112)","data":{"name":"tooLarge","list":"t","operation":0,"limit":"contentLengthMax","max":4,"offset":112}}}"#
            ),
            (
                #"{"id":1,"method":"ping","params":[[[[[[[[]]]]]]]]}"#,
                #"{"jsonrpc":"2.0","id":1,"error":{"code":11,"message":"params: there are more than 8 nested arrays and objects (depthMax); use fewer levels (at byte 40)","data":{"name":"tooLarge","limit":"depthMax","max":8,"offset":40}}}"#
            ),
            (
                #"{"id":1,"method":"transact","params":{"list":"t","operations":[{"op":"appendItems","items":[{"id":"x","content":[[[1]]]}]}]}}"#,
                #"{"jsonrpc":"2.0","id":1,"error":{"code":11,"message":"operations[0].items[0].content: there are more than 8 nested arrays and objects (depthMax); use fewer levels (at byte 114)","data":{"name":"tooLarge","list":"t","operation":0,"limit":"depthMax","max":8,"offset":114}}}"#
            ),
        ]
        for (line, reply) in cases {
            let decoded = decodeRequest(line, limits: limits)
            guard case .failure(let error) = decoded.request else {
                Issue.record("\(line) was taken")
                continue
            }
            #expect(text { error.write(id: decoded.id, into: &$0) } == reply + "\n")
        }
    }

    /// Values in the range are accepted; one less, one more, and values that are not numbers are refused with the range.
    @Test(arguments: [
        ("subscribe", "minInterval", 1...3_600_000, " number of milliseconds"),
        ("subscribe", "bookmark", 10...3_600_000, " number of milliseconds"),
        ("setAccess", "owner", 0...4_294_967_294, ""), ("setAccess", "group", 0...4_294_967_294, ""),
        ("history", "limit", 0...9_007_199_254_740_991, ""), ("undo", "to", 0...9_007_199_254_740_991, ""),
        ("undo", "steps", 1...1_000_000, ""), ("redo", "steps", 1...1_000_000, ""),
        ("snapshot", "at", 0...9_007_199_254_740_991, ""), ("undo", "ifRevision", 0...9_007_199_254_740_991, ""),
    ])
    func `a number is taken at the ends of its range and refused beyond`(
        method: String, member: String, range: ClosedRange<Int>, units: String
    ) {
        func message(_ value: String) -> String? {
            let line = #"{"id":1,"method":"\#(method)","params":{"list":"t","\#(member)":\#(value)}}"#
            guard case .failure(let error) = decodeRequest(line).request else { return nil }
            return error.message
        }
        for end in [range.lowerBound, range.upperBound] { #expect(message("\(end)") == nil) }
        let others = [
            (range.lowerBound - 1).description, (range.upperBound + 1).description, "1.5", "1e3", "true", "-1",
            "99999999999999999999",
        ]
        for (value, shown) in others.map({ ($0, $0) }) + [(#""5""#, #""5""#), ("[5]", "an array"), ("{}", "an object")]
        {
            let message = message(value)
            let expected =
                "\(member) must be an integer\(units) from \(range.lowerBound) to \(range.upperBound), not \(shown) (at byte "
            #expect(message?.hasPrefix(expected) == true, "\(value): \(message ?? "was taken")")
        }
    }

    /// Each member with a wrong type: the message is a sentence with the member's name and the expected type.
    @Test(arguments: [
        #"{"id":1,"method":"createList","params":{"list":7}}"#: "list must be a string, not 7",
        #"{"id":1,"method":7}"#: "method must be a string, not 7",
        #"{"id":1,"method":"snapshot","params":{"list":"t","view":7}}"#: "view: a view must be an object, not 7",
        #"{"id":1,"method":"snapshot","params":{"list":"t","view":{"sort":"/a"}}}"#:
            #"view.sort must be an array, not "/a""#,
        #"{"id":1,"method":"snapshot","params":{"list":"t","view":{"sort":[7]}}}"#:
            #"view.sort[0]: an element of sort must be a path such as "/due", or an object with a path, not 7"#,
        #"{"id":1,"method":"snapshot","params":{"list":"t","view":{"sort":["due"]}}}"#:
            #"view.sort[0]: path must be "id", "kind" or a JSON pointer such as "/due", not "due""#,
        #"{"id":1,"method":"snapshot","params":{"list":"t","view":{"where":[]}}}"#:
            "view.where: a condition must be an object, not an array",
        #"{"id":1,"method":"snapshot","params":{"list":"t","view":{"where":{"path":"/a","lessThan":true}}}}"#:
            "view.where.lessThan must be a number or a string (only these have an order), not true",
        #"{"id":1,"method":"snapshot","params":{"list":"t","view":{"window":{"limit":"9"}}}}"#:
            #"view.window.limit must be an integer from 0 to 9007199254740991, not "9""#,
        #"{"id":1,"method":"transact","params":{"list":"t","operations":{}}}"#:
            "operations must be an array, not an object",
        #"{"id":1,"method":"transact","params":{"list":"t","operations":[[]]}}"#:
            "operations[0]: an operation must be an object, not an array",
        #"{"id":1,"method":"transact","params":{"list":"t","operations":[{"op":"appendItems","items":{}}]}}"#:
            "operations[0].items must be an array, not an object",
        #"{"id":1,"method":"transact","params":{"list":"t","operations":[{"op":"reloadItems","items":[7]}]}}"#:
            "operations[0].items[0]: an item must be its id, or an object with id, kind and content, not 7",
        #"{"id":1,"method":"transact","params":{"list":"t","operations":[{"op":"reloadSections","sections":[7]}]}}"#:
            "operations[0].sections[0]: a section must be its id, or an object with id and content, not 7",
        #"{"id":1,"method":"apply","params":{"list":"t","snapshot":"x"}}"#:
            #"snapshot must be {"sections":[...]}, or an array of items with section, not "x""#,
        #"{"id":1,"method":"setAccess","params":{"list":"t","mode":640}}"#:
            #"mode must be a string of octal digits such as "0640", not 640"#,
        #"{"id":1,"method":"subscribe","params":{"list":"t","ifAbsent":7}}"#:
            #"ifAbsent must be "wait" or left out, not 7"#,
        #"{"id":1,"method":"subscribe","params":{"list":"t","since":7}}"#: "since must be an object, not 7",
    ])
    func `what is of the wrong sort is answered with what it must be`(line: String, sentence: String) {
        guard case .failure(let error) = decodeRequest(line).request else {
            Issue.record("\(line) was taken")
            return
        }
        #expect(error.message.replacing(#/ \(at byte \d+\)$/#, with: "") == sentence)
        #expect(error.offset != nil)
    }

    // MARK: - Shorthand

    @Test(arguments: [
        ("ping", "ping"), ("help", "help"), ("  lists  ", "lists"), ("status", "status"), ("hello", "hello"),
        ("subscribe tasks", "subscribe"), ("snapshot\ttasks", "snapshot"), ("createList tasks", "createList"),
        ("deleteList tâches", "deleteList"), ("snapshot \u{301}a", "snapshot"), ("\rping\r", "ping"),
    ])
    func `a line that is not JSON is a method and a list`(line: String, method: String) throws {
        let decoded = decodeRequest(line)
        #expect(decoded.id == .null)
        #expect(try decoded.request.get().method.rawValue == method)
    }

    @Test(arguments: [
        ("hepl", -32601, #"there is no method "hepl"; did you mean "help"? (at byte 0)"#),
        ("subscribe", -32602, "subscribe needs a list; send: subscribe LIST"),
        ("lists tasks", -32602, "lists takes no list; send: lists"),
        (
            "subscribe my tasks", -32600,
            "a line that is not JSON must be METHOD [LIST]; for anything more, send a JSON object"
        ),
        ("transact tasks", -32602, "transact needs list and operations: send the request as a JSON object"),
        ("apply tasks", -32602, "apply needs list and snapshot: send the request as a JSON object"),
        ("unsubscribe 1", -32602, "unsubscribe needs subscription: send the request as a JSON object"),
    ])
    func `shorthand that says nothing is answered with what to type`(line: String, code: Int, message: String) {
        guard case .failure(let error) = decodeRequest(line).request else {
            Issue.record("\(line) was taken")
            return
        }
        #expect(error.code.rawValue == code)
        #expect(error.message == message)
    }

    @Test func `shorthand that is not UTF-8 is refused`() {
        let decoded = [UInt8]([0x70, 0xFF]).withUnsafeBytes { DecodedRequest(line: $0, limits: .server) }
        guard case .failure(let error) = decoded.request else {
            Issue.record("taken")
            return
        }
        #expect(error.code == .parseError)
        #expect(error.offset == 1)
        #expect(error.message == "the line cannot be read: invalid UTF-8 at byte 1")
    }

    @Test func `the offset of invalid UTF-8 is that of the character, not of its last byte`() {
        let decoded = (Array("ping ä€".utf8) + [0xE2, 0x82]).withUnsafeBytes {
            DecodedRequest(line: $0, limits: .server)
        }
        guard case .failure(let error) = decoded.request else {
            Issue.record("taken")
            return
        }
        #expect(error.offset == "ping ä€".utf8.count)
    }

    /// Comparing two texts regardless of their marks takes the square of the number of marks.
    @Test(arguments: [
        "NAME", "ping NAME", #"{"id":1,"method":"createList","params":{"list":"t","durability":"NAME"}}"#,
        #"{"id":1,"method":"subscribe","params":{"list":"t","since":{"epoch":"NAME","revision":1}}}"#,
        #"{"id":1,"method":"subscribe","params":{"list":"t","view":{"where":{"path":"/NAME","exists":true}}}}"#,
        #"{"id":1,"method":"subscribe","params":{"list":"t","view":{"search":"NAME"}}}"#,
    ])
    func `a long name of marks is refused in time`(line: String) {
        let line = line.replacing("NAME", with: "a" + String(repeating: "\u{301}\u{323}", count: 200_000))
        let time = processorTime {
            #expect(throws: WireError.self) { try decodeRequest(line).request.get() }
        }
        #expect(time < .seconds(5))
    }

    @Test func `an epoch as long as the limit is taken, one byte more is not`() throws {
        func subscribe(_ length: Int) throws -> Request {
            let epoch = String(repeating: "e", count: length)
            return try decodeRequest(
                #"{"method":"subscribe","params":{"list":"t","since":{"revision":1,"epoch":"\#(epoch)"}}}"#
            ).request.get()
        }
        #expect(throws: Never.self) { try subscribe(255) }
        #expect(throws: WireError.self) { try subscribe(256) }
    }

    // MARK: - Client text in messages

    @Test(arguments: [
        #"{"id":1,"method":"NAME"}"#,
        "NAME",
        #"{"id":1,"method":"ping","NAME":1}"#,
        #"{"id":1,"method":"snapshot","params":{"NAME":1}}"#,
        #"{"id":1,"jsonrpc":"NAME","method":"ping"}"#,
        #"{"id":1,"method":"createList","params":{"list":"t","durability":"NAME"}}"#,
        #"{"id":1,"method":"transact","params":{"list":"t","operations":[{"op":"NAME"}]}}"#,
        #"{"id":1,"method":"transact","params":{"list":"t","operations":[{"op":"deleteAllItems","NAME":1}]}}"#,
        #"{"id":1,"method":"transact","params":{"list":"t","operations":[{"op":"patchItems","items":[{"id":"a","content":{"NAME":1,"NAME":2}}]}]}}"#,
    ])
    func `a long name is cut where a message repeats it`(line: String) {
        // Three bytes each, so that the cut is not at the limit in bytes.
        let name = String(repeating: "€", count: 100_000)
        guard case .failure(let error) = decodeRequest(line.replacing("NAME", with: name)).request else {
            Issue.record("taken")
            return
        }
        #expect(error.message.utf8.count < 600)
        #expect(error.message.contains(String(repeating: "€", count: 33) + "…"))
    }

    @Test func `an id as long as the limit is taken, one byte more is not`() {
        func id(_ length: Int) -> String { "\"\(String(repeating: "x", count: length - 2))\"" }
        let taken = decodeRequest(#"{"id":\#(id(1024)),"method":"ping"}"#)
        #expect(taken.id == .string(Array(id(1024).utf8)))
        let decoded = decodeRequest(#"{"id":\#(id(1025)),"method":"ping"}"#)
        #expect(decoded.id == .null)
        guard case .failure(let error) = decoded.request else {
            Issue.record("taken")
            return
        }
        #expect(error.code == .invalidRequest)
        #expect(error.message == "id (of the request) is longer than 1024 bytes; use a shorter one (at byte 6)")
    }

    // MARK: - Parts

    @Test(arguments: [
        (#"{"method":"transct","params":{"list":"t","operations":[],"more":true}}"#, Request.Part.more),
        (#"{"method":"transact","params":{"more":true,"list":"t","operations":[7]}}"#, .more),
        (#"{"params":{"list":"t","operations":[7],"more":true},"method":"transact"}"#, .more),
        (#"{"method":"transact","params":{"list":"t","operations":[7],"more":false}}"#, .last),
        (#"{"method":"transact","params":{"list":"t","operations":[7],"mor\u0065" : false}}"#, .last),
        (#"{"method":"transact","params":{"list":"t","operations":[7],"more":1}}"#, .more),
        (#"{"method":"transact","params":{"list":"t","operations":[7]}}"#, .whole),
        (#"{"method":"transact","params":{"list":"t","operations":[{"more":true}]}}"#, .whole),
        (#"{"method":"transact","params":{"list":"t","operations":["\"more\":true"],}}"#, .whole),
        (#"{"method":"transact","params":{"list":"t","more":true,"operations":[}}"#, nil),
        (#"{"method":"transact","params":{"list":"t","operations":[7],"more":null}}"#, .whole),
        (#"{"method":"ping","params":[1]}"#, .whole),
    ])
    func `a part is known to be one, whatever else is wrong with it`(line: String, part: Request.Part?) {
        #expect(decodeRequest(line).refusedLine?.part == part)
    }

    @Test func `a line that is too deep says whether it is a part`() {
        let deep = String(repeating: "[", count: 200) + String(repeating: "]", count: 200)
        func line(_ end: String) -> String {
            #"{"method":"transact","params":{"list":"t","operations":[{"op":"appendItems","items":[{"id":"a","content":"#
                + deep + "}]}]" + end + "}}"
        }
        for (end, part) in [("", Request.Part.whole), (#","more":true"#, .more), (#","more":false"#, .last)] {
            #expect(decodeRequest(line(end)).refusedLine?.part == part)
        }
    }

    @Test func `a long transact goes in parts, and only the last has the id`() throws {
        let all = try operations(#"[{"op":"deleteItems","items":["a","b","c","d"]}]"#)
        let head = #"{"jsonrpc":"2.0","method":"transact","params":{"list":"t","ifRevision":3,"operations":["#
        let expected = [
            head + #"{"op":"deleteItems","items":["a","b"]}],"more":true}}"# + "\n",
            head + #"{"op":"deleteItems","items":["c","d"]}],"more":false},"id":5}"# + "\n",
        ]
        // Each line has room for the longer end, and lacks one byte for another id.
        let lineLengthMax = expected[1].utf8.count + 3
        var writer = RequestWriter(transact: "t", .values(OperationsWriter(all)), ifRevision: 3)
        var lines: [String] = []
        var progress = Progress.more
        while case .more = progress {
            lines.append(text { progress = writer.write(id: .number(5), into: &$0, lineLengthMax: lineLengthMax) })
        }
        #expect(lines == expected)
        let first = decodeRequest(lines[0])
        #expect(first.id == .absent)
        guard case .transact(let transact) = try first.request.get() else {
            Issue.record("not a transact")
            return
        }
        #expect(transact.part == .more)
        #expect(decodeRequest(lines[1]).id == .number(5))
    }
}

extension ByteWriter {
    fileprivate mutating func append(_ id: RequestID, orAbsent absent: String) {
        switch id {
        case .absent: append(Array(absent.utf8))
        case .null: append("null")
        case .number(let number): append(number)
        case .string(let text): append(text)
        }
    }
}
