/// Random changes of a list with few ids and few values, so that rare cases are frequent: an item and its parents change in one
/// transaction, deleted items return, missing items are named.
package struct NaiveChanges {
    package var generator: SplitMix64
    package private(set) var list = NaiveList()
    /// Unused ids, in the order of their use.
    private var free: [String] = []

    package enum ElementID: Hashable {
        case section(String)
        case item(String)
    }

    /// A request to redraw an unchanged element.
    package struct Request {
        package var method: String
        package var id: ElementID
    }

    package struct Change {
        package var operations: [NaiveJSON]
        /// The resulting list.
        package var list: NaiveList
        package var requests: [Request]
        /// Ids deleted at some moment; they may be inserted again.
        package var deletions: [ElementID]

        package var text: String { NaiveJSON.array(operations).text }
    }

    package init(seed: UInt64) { generator = SplitMix64(seed: seed) }

    package mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &generator) }

    package mutating func chance(_ percent: Int) -> Bool { number(0..<100) < percent }

    package mutating func one<Element>(of elements: [Element]) -> Element { elements[number(0..<elements.count)] }

    /// Applies several possible operations, and returns the change, which may be empty.
    package mutating func next() -> Change {
        var change = Change(operations: [], list: list, requests: [], deletions: [])
        for _ in 0..<number(1..<5) {
            for text in operations() { add(text, to: &change) }
        }
        return change
    }

    private mutating func add(_ text: String, to change: inout Change) {
        guard let operation = try? NaiveJSON(text) else { preconditionFailure("not JSON: \(text)") }
        let gone = deleted(by: operation)
        let old = list
        var next = list
        // Some are impossible, such as moving an item under itself.
        guard (try? next.apply(operation)) != nil else { return }
        list = next
        change.list = next
        change.operations.append(operation)
        change.deletions += gone
        change.requests.removeAll { gone.contains($0.id) }
        guard let method = operation["op"]?.string, method.hasPrefix("re") else { return }
        for element in (operation["sections"] ?? operation["items"])?.elements ?? [] {
            if let id = element.string {
                let id: ElementID = method == "reloadSections" ? .section(id) : .item(id)
                change.requests.append(Request(method: method, id: id))
            } else if method == "reloadItems", let id = element["id"]?.string,
                old.item(id)?.kind == element["kind"]?.string
            {
                // A new kind itself means that the item has to be made again.
                change.requests.append(Request(method: method, id: .item(id)))
            }
        }
    }

    private func deleted(by operation: NaiveJSON) -> [ElementID] {
        switch operation["op"]?.string {
        case "deleteItems":
            (operation["items"]?.elements ?? []).compactMap { $0.string.flatMap(list.item) }
                .flatMap { $0.withDescendants.map { .item($0.id) } }
        case "deleteSections":
            list.sections.filter { operation["sections"]?.elements.contains(.string($0.id)) ?? false }
                .flatMap { [.section($0.id)] + $0.children.flatMap { $0.withDescendants.map { .item($0.id) } } }
        default: []
        }
    }

    // MARK: Operations

    private mutating func operations() -> [String] {
        let items = list.items
        let taken = Set(items.map(\.id))
        free = (0..<36).map { "i\($0)" }.filter { !taken.contains($0) }.shuffled(using: &generator)
        if list.sections.count < 2 || items.count < 6 {
            return [#"{"op":"appendSections","sections":[\#(section())]}"#]
        }
        let item = one(of: items)
        let other = one(of: items)
        switch number(0..<21) {
        case 0..<5: return path(to: item.id)
        case 5, 6: return [#"{"op":"insertItems",\#(place(beside: other.id)),"items":[\#(newItem(levels: 3))]}"#]
        case 7: return [#"{"op":"appendItems","parent":"\#(other.id)","items":[\#(newItem(levels: 2))]}"#]
        case 8, 9: return [#"{"op":"deleteItems","items":["\#(item.id)"]}"#]
        case 10, 11: return [#"{"op":"moveItem","item":"\#(item.id)",\#(place(beside: other.id))}"#]
        case 12: return [#"{"op":"moveItem","item":"\#(item.id)","parent":"\#(other.id)"}"#]
        case 13, 14: return reinsertion(of: item)
        case 15: return [#"{"op":"\#(one(of: ["reloadItems", "reconfigureItems"]))","items":["\#(item.id)"]}"#]
        case 16:
            return [#"{"op":"\#(one(of: ["expandItems", "collapseItems"]))","items":["\#(item.id)","\#(other.id)"]}"#]
        case 17:
            return [
                #"{"op":"reloadItems","items":[{"id":"\#(item.id)","kind":"\#(one(of: ["k", "l"]))","content":\#(content())}]}"#
            ]
        case 18:
            let section = sectionID()
            return [
                #"{"op":"moveSection","section":"\#(section)","after":null}"#,
                #"{"op":"reloadSections","sections":[\#(chance(50) ? "\"\(section)\"" : #"{"id":"\#(section)","content":\#(number(0..<3))}"#)]}"#,
            ]
        case 19: return [#"{"op":"reconfigureList","content":\#(one(of: ["null", "0", #"{"title":"Today"}"#]))}"#]
        default:
            let section = sectionID()
            return chance(30)
                ? [#"{"op":"deleteSections","sections":["\#(section)"],"ifPresent":true}"#]
                : [#"{"op":"appendSections","sections":[{"id":"\#(section)"}]}"#]
        }
    }

    /// Returns new content for an item and some of its parents, in any order.
    private mutating func path(to id: String) -> [String] {
        var changes: [String] = []
        for item in list.path(to: id).dropFirst() where item.id == id || chance(50) {
            changes.append(#"{"id":"\#(item.id)","content":\#(content())}"#)
        }
        return [#"{"op":"reconfigureItems","items":[\#(changes.shuffled(using: &generator).joined(separator: ","))]}"#]
    }

    /// Deletes an item and inserts it again in the same transaction, there or elsewhere, changed or not.
    private mutating func reinsertion(of item: NaiveList.Element) -> [String] {
        var back = item
        if chance(30) { back.children = [] }
        if chance(40), let content = try? NaiveJSON(content()) { back.content = content }
        let siblings = list.path(to: item.id).dropLast().last?.children ?? []
        let place: String
        if let index = siblings.firstIndex(where: { $0.id == item.id }), index > 0, chance(70) {
            place = #""after":"\#(siblings[index - 1].id)""#
        } else {
            place = self.place(beside: one(of: list.items).id)
        }
        let again = #"{"op":"insertItems",\#(place),"items":[\#(back.json().text)]}"#
        // If it cannot be inserted, it is deleted, and may be inserted later.
        return [#"{"op":"deleteItems","items":["\#(item.id)"]}"#, again]
    }

    private mutating func place(beside id: String) -> String {
        switch number(0..<5) {
        case 0, 1: #""after":null,"section":"\#(sectionID())""#
        case 2: #""before":"\#(id)""#
        default: #""after":"\#(id)""#
        }
    }

    private mutating func sectionID() -> String { "s\(number(0..<3))" }

    /// Returns a section with an outline of up to seven levels.
    private mutating func section() -> String {
        let items = (0..<number(1..<4)).map { _ in newItem(levels: 7) }
        return #"{"id":"\#(sectionID())","items":[\#(items.joined(separator: ","))]}"#
    }

    private mutating func newItem(levels: Int) -> String {
        let isExpanded = chance(60)
        let content = content()
        // An existing id makes the operation impossible.
        let id = free.popLast() ?? "i0"
        let children =
            levels > 1 ? (0..<number(levels > 3 ? 1..<2 : 0..<3)).map { _ in newItem(levels: levels - 1) } : []
        return #"{"id":"\#(id)","content":\#(content),"expanded":\#(isExpanded),"#
            + #""children":[\#(children.joined(separator: ","))]}"#
    }

    private static let texts = ["σοφος", "Straße", "ﬁn", "Éclair", "STRASSE", "milk", "İ", "ΣΟΦΌΣ"]

    /// Returns content whose members for matching and sorting change independently.
    private mutating func content() -> String {
        var members: [String] = []
        if chance(35) { members.append(#""m":\#(number(0..<2))"#) }
        if chance(60) { members.append(#""k":\#(one(of: ["0", "1", "2", "\"a\"", "null", "true", "[1]"]))"#) }
        if chance(40) { members.append(#""text":"\#(one(of: Self.texts))""#) }
        return "{\(members.joined(separator: ","))}"
    }

    private mutating func someItems() -> String {
        (0..<36).filter { _ in chance(25) }.map { "\"i\($0)\"" }.shuffled(using: &generator).joined(separator: ",")
    }

    // MARK: Views

    /// Returns a view with any of the members and few values each.
    package mutating func view() -> String {
        var members: [String] = []
        if chance(15) { members.append(#""sections":["s0","s2","absent"]"#) }
        if chance(50) {
            members.append(
                #""where":"#
                    + one(of: [
                        #"{"path":"/m","exists":true}"#, #"{"path":"/m","equals":1}"#,
                        #"{"not":{"path":"/k","exists":true}}"#,
                        #"{"or":[{"path":"/m","equals":0},{"path":"/k","atLeast":1,"lessThan":"b"}]}"#,
                        #"{"and":[{"path":"/m","exists":true},{"not":{"path":"kind","equals":"k"}}]}"#,
                        #"{"path":"/text","prefix":"S"}"#, #"{"path":"/k","equals":"a"}"#,
                        #"{"path":"/k","contains":"a"}"#, #"{"path":"/k","equals":[1]}"#,
                        #"{"path":"/k","atLeast":1,"atMost":2}"#, #"{"path":"id","prefix":"i1"}"#,
                        #"{"or":[{"path":"/k","equals":null},{"path":"/text","equals":"milk"}]}"#,
                    ]))
        }
        if chance(25) {
            members.append(#""search":"\#(one(of: ["ΣΟΦΟΣ", "strasse", "STRAẞE", "FIN", "e", "i", "ς s"]))""#)
        }
        if chance(60) {
            members.append(
                #""sort":\#(one(of: [#"["/k"]"#, #"[{"path":"/k","descending":true},"id"]"#, #"["/text","/m"]"#, #"["/m"]"#]))"#
            )
        }
        switch number(0..<5) {
        case 0: members.append(#""expansion":"shared""#)
        case 1, 2:
            let ids = (0..<36).filter { _ in chance(60) }.map { "\"i\($0)\"" }
            let member = one(of: ["expanded", "toggled"])
            members.append(#""expansion":"own","\#(member)":[\#(ids.joined(separator: ","))]"#)
        default: break
        }
        if chance(40) { members.append(#""folded":true"#) }
        if chance(50) {
            let limit = number(0..<9)
            var window = [#""limit":\#(limit)"#]
            if chance(60) {
                window.append(#""anchor":"i\#(number(0..<36))""#)
                if limit > 1, chance(40) { window.append(#""before":\#(number(0..<limit))"#) }
            } else {
                window.append(#""offset":\#(number(0..<(chance(80) ? 12 : 60)))"#)
                if chance(60) { window.append(#""keep":[\#(someItems())]"#) }
            }
            if chance(40) { window.append(#""pins":[\#(someItems())]"#) }
            if chance(30) { window.append(#""allSections":true"#) }
            members.append(#""window":{\#(window.joined(separator: ","))}"#)
        }
        return "{\(members.joined(separator: ","))}"
    }
}
