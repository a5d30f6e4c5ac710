import Diffable
import DiffableJSON
import Testing

@testable import DiffableClient

struct ListViewTests {
    private func expect(_ condition: ListCondition, _ json: String) throws {
        let written = String(decoding: try ListView(where: condition).view.json, as: UTF8.self)
        #expect(written == "{\"where\":\(json)}")
    }

    @Test func `a condition is written as the protocol has it`() throws {
        let due = "2027"
        try expect("/done" == true, #"{"path":"/done","equals":true}"#)
        try expect("/text" != "a\"b", #"{"not":{"path":"/text","equals":"a\"b"}}"#)
        try expect("/due" < 5, #"{"path":"/due","lessThan":5}"#)
        try expect("/due" <= 5.5, #"{"path":"/due","atMost":5.5}"#)
        try expect("/due" > due, #"{"path":"/due","greaterThan":"2027"}"#)
        try expect("/due" >= -1, #"{"path":"/due","atLeast":-1}"#)
        try expect(.kind == ("todo" as Kind), #"{"path":"kind","equals":"todo"}"#)
        try expect(.exists("/due"), #"{"path":"/due","exists":true}"#)
        try expect(.isNull("/due"), #"{"path":"/due","equals":null}"#)
        try expect(.contains("/tags", "later"), #"{"path":"/tags","contains":"later"}"#)
        try expect(.hasPrefix(.id, "x"), #"{"path":"id","prefix":"x"}"#)
        try expect("/size" == Content(Array("[1,2]".utf8)), #"{"path":"/size","equals":[1,2]}"#)
        try expect(
            !("/done" == true) && "/due" < 5,
            #"{"and":[{"not":{"path":"/done","equals":true}},{"path":"/due","lessThan":5}]}"#)
    }

    /// The JSON of a line has at most 64 nested brackets.
    @Test func `several conditions stand side by side, and not one in the other`() throws {
        try expect(
            "/a" == 1 && "/b" == 2 && "/c" == 3,
            #"{"and":[{"path":"/a","equals":1},{"path":"/b","equals":2},{"path":"/c","equals":3}]}"#)
        let either: ListCondition = "/a" == 1 && "/b" == 2
        try expect(
            either || "/d" == 4 || .any([]),
            #"{"or":[{"and":[{"path":"/a","equals":1},{"path":"/b","equals":2}]},{"path":"/d","equals":4}]}"#)
    }

    @Test func `a view is written as the protocol has it`() throws {
        for (view, json) in [
            (try ListView(), "{}"),
            (try ListView(sections: []), #"{"sections":[]}"#),
            (
                try ListView(
                    sections: ["a", "b"], where: "/x" == 1, search: "milk \"",
                    sort: ["/due", .descending("/n").numeric],
                    expansion: .own(["q", "p"]), window: .anchor("p", limit: 9)),
                #"{"sections":["a","b"],"where":{"path":"/x","equals":1},"search":"milk \"","sort":[{"path":"/due"},{"path":"/n","descending":true,"numeric":true}],"expansion":"own","expanded":["p","q"],"window":{"anchor":"p","limit":9}}"#
            ),
            (
                try ListView(expansion: .shared, window: .offset(3, limit: 2)),
                #"{"expansion":"shared","window":{"offset":3,"limit":2}}"#
            ),
        ] {
            #expect(String(decoding: view.view.json, as: UTF8.self) == json)
        }
    }

    @Test func `a view, a condition and a path are printed as the protocol has them`() throws {
        let condition: ListCondition = "/due" < 5
        #expect("\(condition)" == #"{"path":"/due","lessThan":5}"# && "\(ContentPointer.kind)" == "kind")
        #expect("\(try ListView(where: condition))" == #"{"where":{"path":"/due","lessThan":5}}"#)
        #expect("\(try ListView())" == "{}")
        #expect("\(try ListView(search: "é"))" == #"{"search":"é"}"#)
    }

    @Test func `what is wrong with a view is said as the daemon would say it`() {
        #expect(throws: ClientError.self) { try ListView(where: "due" < 5) }
        #expect(throws: ClientError.self) { try ListView(sort: ["due"]) }
    }

    @Test func `a view with other items expanded is the same for the rest`() throws {
        let whole = try ListView(
            sections: ["a"], where: "/x" == 1, search: "milk", sort: ["/due"], expansion: .own(["p"]),
            window: .anchor("p", limit: 9))
        for view in [
            whole, try ListView(expansion: .own([])),
            try ListView(expansion: .own(["p"]), window: .offset(3, limit: 2)),
            try ListView(search: "x", expansion: .own(["q"])),
        ] {
            let json = try #require(view.view.json(withExpanded: { $0.formSymmetricDifference(["p", "r"]) }))
            let other = try ListView(json: String(decoding: json, as: UTF8.self)).view
            guard case .own(let before) = view.view.expansion else { throw NoOwnExpansion() }
            #expect(other.expansion == .own(before.symmetricDifference(["p", "r"])))
            #expect(other.matchingText == view.view.matchingText && other.window == view.view.window)
        }
        for expansion in [ListView.Expansion.all, .shared] {
            #expect(try ListView(expansion: expansion).view.json(withExpanded: { _ in }) == nil)
        }
    }
}

private struct NoOwnExpansion: Error {}
