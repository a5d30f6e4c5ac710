import Diffable
import TestSupport
import Testing

@testable import DiffableStore

/// Compared with a list of patterns that is searched from the beginning.
struct ListScopeTests {
    private func matches(_ pattern: String, _ name: String) -> Bool {
        pattern.hasSuffix("*") ? name.utf8.starts(with: pattern.utf8.dropLast()) : pattern.utf8.elementsEqual(name.utf8)
    }

    private static let names = [
        "a", "ab", "abc", "abd", "b", "ba", "a.b", "aé", "ae\u{301}", "a*", "*", "*a", "zz", "a ", "ab.c.d",
    ]

    @Test func `a scope has the names that one of its patterns matches, in random intersections`() throws {
        var random = SplitMix64()
        let patterns = Self.names + Self.names.map { "\($0)*" } + ["*"]
        for _ in 0..<2_000 {
            let chosen = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                patterns.shuffled(using: &random).prefix(Int.random(in: 0...6, using: &random))
            }
            let scopes = try chosen.map { ListScope(try $0.map { try ListName($0) }) }
            let scope = scopes.dropFirst().reduce(scopes[0]) { $0.intersection($1) }
            for name in Self.names where !name.hasSuffix("*") {
                let expected = chosen.allSatisfy { patterns in patterns.contains { matches($0, name) } }
                #expect(scope.contains(try ListName(name)) == expected, "\(name) in \(chosen), seed \(random.seed)")
            }
            #expect(scope.numberOfPatterns <= chosen.reduce(0) { $0 + $1.count })
        }
    }

    @Test func `patterns that others cover take no memory`() throws {
        let scope = ListScope(["menu*", "menu.a", "menu.b*", "menu", "tasks", "tasks"])
        #expect(scope.numberOfPatterns == 2)
        #expect(scope == ListScope(["tasks", "menu*"]))
        #expect(scope.intersection(ListScope(["*"])) == scope && ListScope(["*"]).intersection(scope) == scope)
        #expect(ListScope([]).numberOfPatterns == 0 && !ListScope([]).contains("menu"))
    }

    @Test func `a list outside of its scope is none for root, and no name to create`() {
        var root = Peer(userID: 0, groupID: 0, isPrivileged: true)
        root.scope = ListScope(["menu*"])
        let rules = AccessRules()
        #expect(rules.mayCreate("menu.x", root) && !rules.mayCreate("other", root))
        #expect(rules.isGoverned("menu", AccessRecord(owner: 7), by: root))
        #expect(!rules.isGoverned("other", AccessRecord(owner: 0), by: root))
    }
}
