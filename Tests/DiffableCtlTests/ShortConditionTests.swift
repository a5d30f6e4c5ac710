import ArgumentParser
import Diffable
import Testing

@testable import DiffableInput
@testable import diffablectl

struct ShortConditionTests {
    @Test(arguments: [
        ("unread=true", #"{"or":[{"path":"/unread","equals":true},{"path":"/unread","equals":"true"}]}"#),
        ("text=Buy milk", #"{"path":"/text","equals":"Buy milk"}"#),
        ("text=", #"{"path":"/text","equals":""}"#),
        ("zip=01234", #"{"path":"/zip","equals":"01234"}"#),
        (#"zip="12""#, #"{"path":"/zip","equals":"12"}"#),
        ("url=http://x/?a=b", #"{"path":"/url","equals":"http://x/?a=b"}"#),
        ("n:=1", #"{"path":"/n","equals":1}"#),
        (#"tags:=["a"]"#, #"{"path":"/tags","equals":["a"]}"#),
        (#"text="=a""#, #"{"path":"/text","equals":"=a"}"#),
        ("done!=true", #"{"not":{"or":[{"path":"/done","equals":true},{"path":"/done","equals":"true"}]}}"#),
        ("cpu>10", #"{"path":"/cpu","greaterThan":10}"#), ("cpu >= 9.5", #"{"path":"/cpu","atLeast":9.5}"#),
        ("due<2027-01-01", #"{"path":"/due","lessThan":"2027-01-01"}"#), ("n<=-1e3", #"{"path":"/n","atMost":-1e3}"#),
        (#"n<"10""#, #"{"path":"/n","lessThan":"10"}"#),
        ("text~milk", #"{"path":"/text","contains":"milk"}"#),
        ("tags~1", #"{"or":[{"path":"/tags","contains":1},{"path":"/tags","contains":"1"}]}"#),
        ("tags!~later", #"{"not":{"path":"/tags","contains":"later"}}"#),
        ("due?", #"{"path":"/due","exists":true}"#), ("! due?", #"{"path":"/due","exists":false}"#),
        ("exists(due)", #"{"path":"/due","exists":true}"#), ("!exists( .a.b )", #"{"path":"/a/b","exists":false}"#),
        ("kind?", #"{"path":"kind","exists":true}"#), ("text=rock & roll", #"{"path":"/text","equals":"rock & roll"}"#),
        ("text=a, b and", #"{"path":"/text","equals":"a, b and"}"#),
        ("url=http://x/?a=1&b=2", #"{"path":"/url","equals":"http://x/?a=1&b=2"}"#),
        (#"text="a or b=2""#, #"{"path":"/text","equals":"a or b=2"}"#),
        (
            "/salt and pepper=1",
            #"{"or":[{"path":"/salt and pepper","equals":1},{"path":"/salt and pepper","equals":"1"}]}"#
        ),
        ("id=milk", #"{"path":"id","equals":"milk"}"#), (".id=milk", #"{"path":"/id","equals":"milk"}"#),
        ("kind!=chore", #"{"not":{"path":"kind","equals":"chore"}}"#),
        (".owner.name=root", #"{"path":"/owner/name","equals":"root"}"#),
        ("/a~1b~milk", #"{"path":"/a~1b","contains":"milk"}"#), ("/a.b>1", #"{"path":"/a.b","greaterThan":1}"#),
        (".=3", #"{"or":[{"path":"","equals":3},{"path":"","equals":"3"}]}"#),
    ])
    func `a condition in short means one that the protocol has`(text: String, json: String) throws {
        #expect(try ShortCondition(text).json.description == json)
        _ = try checkedView(#"{"where":\#(json)}"#)
    }

    private static let values = [
        ("true", true), ("1", true), ("-0.5", true), (#""x""#, true), (#""false""#, true), ("[0]", true),
        (#"{"a":0}"#, true),
        ("false", false), ("0", false), ("-0.0", false), ("0e9", false), (#""""#, false), ("[]", false), ("{}", false),
        ("null", false),
    ]

    @Test(arguments: values)
    func `a field alone is true or not, and there in each case`(value: String, isTrue: Bool) throws {
        func isMet(_ condition: String, _ content: String) throws -> Bool {
            let matching = try ItemMatcher(try ShortCondition(condition).json)
            let item = Item(id: "a", content: Content.parsed(content))
            return try !matching.items(in: Snapshot([Section(id: "s", items: [item])])).isEmpty
        }
        let content = #"{"done":\#(value)}"#
        #expect(try isMet("done", content) == isTrue)
        #expect(try isMet("!done", content) == !isTrue)
        #expect(try isMet("done?", content))
        #expect(try !isMet("!done?", content))
        #expect(try !isMet("due", content) && isMet("!due", content) && !isMet("due?", content))
    }

    @Test(arguments: [
        (
            "a=1 or a=2",
            #"use JSON: '{"or":[{"path":"/a","equals":1},{"path":"/a","equals":"1"},{"path":"/a","equals":2}"#
        ),
        ("a=1 && b=2", "repeat the option: 'a=1' and 'b=2'"), ("a=1 and b=2", "repeat the option: 'a=1' and 'b=2'"),
        ("cpu>10 AND <20", "'cpu>10' and 'cpu<20'"), ("a=1, b=2", "'a=1' and 'b=2'"), ("a=1;b=2", "'a=1' and 'b=2'"),
        ("a=1 b=2", "'a=1' and 'b=2'"), ("a=1&b=2", "'a=1' and 'b=2'"),
        ("a=1 || b", #"{"or":[{"path":"/a","equals":1}"#),
        ("a=1|b=2", #"{"or":["#), ("done and due", "'done' and 'due'"), ("!done or due", #"'{"or":["#),
        ("state=open or new", #"{"path":"/state","equals":"new"}"#),
        ("text=salt and pepper", #"in quotation marks: 'text="salt and pepper"'"#),
        ("a=1 or b=2 and c=3", "Use JSON to combine tests"), (#"a="x" or b="y""#, #"{"path":"/b","equals":"y"}"#),
        ("not done", "as in '!done'"), ("!!done", "one ! or none"), ("not a=1", "use != or !~"),
        ("(a=1)", "parentheses cannot be used"),
        ("a is null", "there is no operator is"), ("name like x", "there is no operator like"),
        ("done: true", "'done=true'"),
        ("done:true", "'done=true'"), ("1<cpu", "the field comes first"), ("1<cpu<9", "the field comes first"),
        ("cpu>1<3", "two comparisons"), ("name='x'", #"use 'name="x"'"#),
        (#""a"=1"#, "put quotation marks around a value only"),
        ("exists(a)=1", "one field and nothing else"), ("done>true", "true has no order"), ("a<>1", "use !="),
        ("a=>1", "use >="),
        ("a==1", "use ="),
    ])
    func `what would mean something else than it looks like is refused with the way to say it`(
        text: String, words: String
    ) {
        do {
            Issue.record("taken as \(try ShortCondition(text).json)")
        } catch {
            #expect("\(error)".contains(words), "\(error)")
        }
    }

    @Test(arguments: [
        "done && n>4", "a=1 and b=2", "text=salt and pepper", "a=1, b>2", "done and due>4 and c",
    ])
    func `each condition that a refusal recommends is accepted`(text: String) throws {
        let refusal = #expect(throws: (any Error).self) { try ShortCondition(text) }
        let recommended = String(describing: refusal).split(separator: "'", omittingEmptySubsequences: false)
        for index in recommended.indices.filter({ $0 % 2 == 1 }) where !recommended[index].hasPrefix("{") {
            #expect(throws: Never.self, "\(recommended[index])") { try ShortCondition(String(recommended[index])) }
        }
    }

    @Test(arguments: [
        ("", "is not a path"), ("=1", "names no field"), ("a..b=1", "is not a path"), ("!done=true", "use != or !~"),
        ("cpu>", "compared with nothing"), ("n:=x", "is not valid JSON"), (#"n="x"#, "is not valid JSON"),
        ("text==milk", "there is no operator =="), ("text!==a", "there is no operator !=="),
        ("text=~^m", "there is no operator =~"), ("n>>1", "there is no operator >>"),
    ])
    func `what is no condition is refused with what is wrong`(text: String, sentence: String) {
        do {
            Issue.record("taken as \(try ShortCondition(text).json)")
        } catch {
            #expect("\(error)".contains(sentence), "\(error)")
        }
    }

    @Test func `several conditions must all hold, short ones and JSON`() throws {
        let options = try ConditionOptions.parse(["--where", "cpu>10", "--where", #" {"path":"/done","equals":false}"#])
        #expect(
            try options.json()?.description
                == #"{"and":[{"path":"/cpu","greaterThan":10},{"path":"/done","equals":false}]}"#)
        #expect(try ConditionOptions.parse([]).json() == nil)
    }
}
