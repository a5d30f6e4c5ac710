import Diffable
import DiffableJSON
import DiffableProtocol
import Testing

struct RequestTests {
    /// Every request in each of its forms; what is read is written again as the same line.
    @Test(arguments: [
        #""method":"hello","params":{}"#,
        #""method":"hello","params":{"name":"bar","maxLine":1048576}"#,
        #""method":"ping","params":{}"#,
        #""method":"help","params":{}"#,
        #""method":"status","params":{}"#,
        #""method":"lists","params":{}"#,
        #""method":"createList","params":{"list":"tasks"}"#,
        #""method":"createList","params":{"list":"tasks","durability":"volatile","ifAbsent":true}"#,
        #""method":"deleteList","params":{"list":"tasks"}"#,
        #""method":"snapshot","params":{"list":"tasks"}"#,
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
        #""method":"setView","params":{"subscription":3,"view":{"window":{"offset":10,"limit":50}}}"#,
        #""method":"setView","params":{"subscription":3,"view":{}}"#,
        #""method":"history","params":{"list":"tasks"}"#,
        #""method":"history","params":{"list":"tasks","limit":5}"#,
        #""method":"difference","params":{"list":"tasks","from":4,"to":2}"#,
        #""method":"undo","params":{"list":"tasks"}"#,
        #""method":"undo","params":{"list":"tasks","to":4,"ifRevision":7,"dryRun":true}"#,
    ])
    func `a request is written as it was read`(members: String) throws {
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
        // Not even one about an error.
        let decoded = decodeRequest(#"{"method":"pong"}"#)
        #expect(decoded.id == .absent)
        #expect(text { WireError(.invalidParams, "x").write(id: decoded.id, into: &$0) } == "")
        #expect(text { Reply.ping.write(id: decoded.id, into: &$0) } == "")
    }

    @Test(arguments: [
        (#"{"id":1,"method":"ping""#, -32700, "invalid JSON: the text ends too early at byte 23", "1"),
        (#"{"id":1,"method":"ping"} {}"#, -32700, "invalid JSON: something after the end of the value at byte 25", "1"),
        (
            #"{"id":1,"method":"nope","params":{]}"#, -32700,
            "invalid JSON: a member name in quotes is expected, not ']' at byte 34", "1"
        ),
        (
            "{\"method\":\"p\u{0}ing\"}", -32700,
            "invalid JSON: an unescaped control character (byte 0x00) in a string at byte 12", "null"
        ),
        ("\u{FEFF}{\"method\":\"ping\"}", -32700, "a byte order mark, which JSON does not have at byte 0", "null"),
        (
            "[]", -32600,
            "batches are not supported: send one request per line, and what belongs together as one transact",
            "null"
        ),
        ("{}", -32600, "a request needs a method (at byte 0)", "null"),
        (#"{"id":4}"#, -32600, "a request needs a method (at byte 0)", "4"),
        (#"{"id":1.5,"method":"ping"}"#, -32600, "id: id is a string or a whole number (at byte 6)", "null"),
        (#"{"id":[],"method":"ping"}"#, -32600, "id: id is a string or a whole number (at byte 6)", "null"),
        (
            #"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600,
            #"jsonrpc: jsonrpc is "2.0" (or left out), not "1.0" (at byte 12)"#, "1"
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
            "params: there is no method \"x\"; there are hello, ping, help, status, clients, reload, lists, createList, deleteList, "
                + "snapshot, transact, apply, subscribe, setView, unsubscribe, history, difference, undo, setAccess, backup, "
                + "restore (at byte 23)",
            "\"q\""
        ),
        (
            #"{"id":1,"method":"ping","params":[]}"#, -32602,
            "params: params are named: an object, not an array (at byte 33)", "1"
        ),
        (#"{"id":1,"method":"ping","params":7}"#, -32602, "params: ping is an object (at byte 33)", "1"),
        (
            #"{"id":1,"method":"subscribe","params":{"lst":"t"}}"#, -32602,
            #"params: subscribe has no member "lst"; did you mean "list"? (at byte 40)"#, "1"
        ),
        (#"{"id":1,"method":"subscribe"}"#, -32602, "subscribe needs list (at byte 0)", "1"),
        (
            #"{"id":1,"method":"subscribe","params":{"list":""}}"#, -32602,
            "list: list is empty; an identifier is 1 to 255 bytes of UTF-8 (at byte 47)", "1"
        ),
        (
            #"{"method":"transact","params":{"list":"t","operations":[{"op":"deleteItems","items":[7]}]},"id":9}"#,
            -32602,
            "operations[0].items[0]: an item's id is a string (at byte 85)", "9"
        ),
        (
            #"{"id":1,"method":"transact","params":{"list":"t","operations":[],"ifRevision":-1}}"#, -32602,
            "ifRevision: ifRevision is a whole number from 0 to 9007199254740991 (at byte 78)", "1"
        ),
        (
            #"{"id":1,"method":"apply","params":{"list":"t"}}"#, -32602,
            "apply needs snapshot (or operations, to send it in parts) (at byte 0)", "1"
        ),
        (
            #"{"id":1,"method":"apply","params":{"list":"t","snapshot":[]}}"#, -32602,
            #"snapshot is {"sections":[...]}; an array of items needs section (at byte 0)"#, "1"
        ),
        (
            #"{"id":1,"method":"apply","params":{"list":"t","section":"a","snapshot":{"sections":[]}}}"#, -32602,
            "with section, snapshot is that section's items, an array (at byte 0)", "1"
        ),
        (
            #"{"id":1,"method":"createList","params":{"list":"t","durability":"eternal"}}"#, -32602,
            #"durability: durability is "durable" or "volatile", not "eternal" (at byte 65)"#, "1"
        ),
        (
            #"{"id":1,"method":"subscribe","params":{"list":"t","deliver":"patch"}}"#, -32602,
            #"deliver: deliver is "operations", "snapshots" or "patches", not "patch" (at byte 61)"#, "1"
        ),
        (
            #"{"id":1,"method":"subscribe","params":{"list":"t","minInterval":0}}"#, -32602,
            "minInterval: minInterval is 1 to 3600000 milliseconds, not 0 (at byte 64)", "1"
        ),
        (
            #"{"id":1,"method":"subscribe","params":{"list":"t","minInterval":3600001}}"#, -32602,
            "minInterval: minInterval is 1 to 3600000 milliseconds, not 3600001 (at byte 64)", "1"
        ),
        (
            #"{"id":1,"method":"subscribe","params":{"list":"t","bookmark":9}}"#, -32602,
            "bookmark: bookmark is 10 to 3600000 milliseconds, not 9 (at byte 61)", "1"
        ),
        (
            #"{"id":1,"method":"subscribe","params":{"list":"t","ifAbsent":true}}"#, -32602,
            #"ifAbsent: ifAbsent is "wait", or left out (at byte 61)"#, "1"
        ),
        (
            #"{"id":1,"method":"createList","params":{"list":"t","ifAbsent":"wait"}}"#, -32602,
            "ifAbsent: ifAbsent is true or false (at byte 63)", "1"
        ),
        (
            #"{"id":1,"method":"subscribe","params":{"list":"t","ifAbsent":"create"}}"#, -32602,
            #"ifAbsent: ifAbsent is "wait", or true or false, not "create" (at byte 62)"#, "1"
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
                #"{"jsonrpc":"2.0","id":1,"error":{"code":11,"message":"operations[1]: the limit is operationsMax = 1; send it in parts (\"more\":true)","data":{"name":"tooLarge","list":"t","limit":"operationsMax","max":1}}}"#
            ),
            (
                #"{"id":1,"method":"transact","params":{"list":"t","operations":[{"op":"appendItems","items":[{"id":"x","content":12345}]}]}}"#,
                #"{"jsonrpc":"2.0","id":1,"error":{"code":11,"message":"operations[0].items[0].content: the limit is contentLengthMax = 4 bytes","data":{"name":"tooLarge","list":"t","operation":0,"limit":"contentLengthMax","max":4}}}"#
            ),
            (
                #"{"id":1,"method":"ping","params":[[[[[[[[]]]]]]]]}"#,
                #"{"jsonrpc":"2.0","id":1,"error":{"code":11,"message":"the limit is depthMax = 8","data":{"name":"tooLarge","limit":"depthMax","max":8}}}"#
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
        ("subscribe", -32602, "subscribe needs a list: subscribe LIST"),
        ("lists tasks", -32602, "lists takes no list: lists"),
        (
            "subscribe my tasks", -32600,
            "a line that is not JSON is METHOD [LIST]; for anything more send a JSON object"
        ),
        ("transact tasks", -32602, "transact needs list and operations: send it as a JSON object"),
        ("apply tasks", -32602, "apply needs list and snapshot: send it as a JSON object"),
        ("unsubscribe 1", -32602, "unsubscribe needs subscription: send it as a JSON object"),
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
        #expect(error.message == "invalid UTF-8 at byte 1")
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

    /// Whether two texts are the same in the end, whatever marks they have, takes the square of the marks to find out.
    @Test(arguments: [
        "NAME", "ping NAME", #"{"id":1,"method":"createList","params":{"list":"t","durability":"NAME"}}"#,
        #"{"id":1,"method":"subscribe","params":{"list":"t","since":{"epoch":"NAME","revision":1}}}"#,
        #"{"id":1,"method":"subscribe","params":{"list":"t","view":{"where":{"path":"/NAME","exists":true}}}}"#,
        #"{"id":1,"method":"subscribe","params":{"list":"t","view":{"search":"NAME"}}}"#,
    ])
    func `a long name of marks is refused in time`(line: String) {
        let line = line.replacing("NAME", with: "a" + String(repeating: "\u{301}\u{323}", count: 200_000))
        let time = ContinuousClock().measure {
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

    // MARK: - What a client sent, in messages

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
        // Of three bytes each, so that the cut is not where the bytes run out.
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
        #expect(error.message == "id: id is longer than 1024 bytes (at byte 6)")
    }

    // MARK: - Parts

    @Test(arguments: [
        (#"{"method":"transact","params":{"list":"t","operations":[],"more":true}}"#, Request.Part.more),
        (#"{"method":"transact","params":{"more":true,"list":"t","operations":[7]}}"#, .more),
        (#"{"params":{"list":"t","operations":[7],"more":true},"method":"transact"}"#, .more),
        (#"{"method":"transact","params":{"list":"t","operations":[7],"more":false}}"#, .last),
        (#"{"method":"transact","params":{"list":"t","operations":[],"more":false}}"#, .last),
        (#"{"method":"transact","params":{"list":"t","operations":[]}}"#, .whole),
        (#"{"method":"transact","params":{"list":"t","more":true,"operations":[}}"#, nil),
        (#"{"method":"ping","params":[1]}"#, .whole),
    ])
    func `a part is known to be one, whatever else is wrong with it`(line: String, part: Request.Part?) {
        #expect(decodeRequest(line).part == part)
    }

    @Test func `a long transact goes in parts, and only the last has the id`() throws {
        let all = try operations(#"[{"op":"deleteItems","items":["a","b","c","d"]}]"#)
        let head = #"{"jsonrpc":"2.0","method":"transact","params":{"list":"t","ifRevision":3,"operations":["#
        let expected = [
            head + #"{"op":"deleteItems","items":["a","b"]}],"more":true}}"# + "\n",
            head + #"{"op":"deleteItems","items":["c","d"]}],"more":false},"id":5}"# + "\n",
        ]
        // Each line has room for the longer end. One byte less than another id takes.
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
