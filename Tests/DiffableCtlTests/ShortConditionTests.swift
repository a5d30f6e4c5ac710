import ArgumentParser
import Diffable
import Testing

@testable import DiffableInput
@testable import diffablectl

/// The language of --where.
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
        ("due", #"{"path":"/due","exists":true}"#), ("! due", #"{"path":"/due","exists":false}"#),
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

    @Test(arguments: [
        ("", "is not a path"), ("=1", "names no field"), ("a..b=1", "is not a path"), ("!done=true", "write != or !~"),
        ("cpu>", "compared with nothing"), ("n:=x", "is no JSON"), (#"n="x"#, "is no JSON"),
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
