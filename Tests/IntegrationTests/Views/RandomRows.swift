import Diffable
import DiffableJSON
import TestSupport

/// A list that changes at random, and views of it.
struct RandomRows {
    private var generator: SplitMix64
    private var itemsMade = 0
    private(set) var snapshot = Snapshot()

    init(seed: UInt64) { generator = SplitMix64(seed: seed) }

    mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &generator) }

    mutating func chance(_ percent: Int) -> Bool { number(0..<100) < percent }

    // MARK: - Changes

    /// Applies possible operations, and returns them as JSON.
    mutating func change() throws -> String {
        var texts: [String] = []
        for _ in 0..<number(1..<5) {
            let text = operation()
            let operation = try Array(text.utf8).withUnsafeBytes { bytes in
                var decoder = Decoder(bytes, limits: .client)
                return try decoder.operation()
            }
            // Some are impossible, such as moving an item under itself.
            guard let next = try? snapshot.applying([operation]) else { continue }
            snapshot = next
            texts.append(text)
        }
        return "[\(texts.joined(separator: ","))]"
    }

    /// Returns the whole state for an apply: an unstated expansion stays as it was.
    mutating func handOver(after old: Snapshot) throws -> String {
        let json = snapshot.json
        let sections = try Array(json.utf8).withUnsafeBytes { bytes in
            var decoder = Decoder(bytes, limits: .client)
            return try decoder.snapshot()
        }
        snapshot = try Snapshot(sections, expansionFrom: old)
        return json
    }

    private mutating func operation() -> String {
        let items = snapshot.itemIdentifiers
        guard let item = one(items), let other = one(items), snapshot.numberOfSections > 2 else {
            return #"{"op":"appendSections","sections":[\#(section())]}"#
        }
        switch number(0..<20) {
        case 0..<4: return #"{"op":"insertItems","after":"\#(other)","items":[\#(self.item(levels: 2))]}"#
        case 4: return #"{"op":"appendItems","parent":"\#(other)","items":[\#(self.item(levels: 1))]}"#
        case 5..<8: return #"{"op":"deleteItems","items":["\#(item)"]}"#
        case 8, 9: return #"{"op":"moveItem","item":"\#(item)","before":"\#(other)"}"#
        case 10: return #"{"op":"moveItem","item":"\#(item)","parent":"\#(other)"}"#
        case 11..<15: return #"{"op":"reconfigureItems","items":[{"id":"\#(item)","content":\#(content())}]}"#
        case 15: return #"{"op":"reloadItems","items":["\#(item)"]}"#
        case 16: return #"{"op":"expandItems","items":["\#(item)","\#(other)"]}"#
        case 17: return #"{"op":"collapseItems","items":["\#(item)"]}"#
        case 18 where chance(40): return #"{"op":"reconfigureList","content":\#(chance(30) ? "null" : content())}"#
        case 18: return #"{"op":"moveSection","section":"\#(sectionID())","after":null}"#
        default: return #"{"op":"deleteSections","sections":["\#(sectionID())"],"ifPresent":true}"#
        }
    }

    private mutating func section() -> String {
        let items = (0..<number(5..<20)).map { _ in item(levels: 3) }
        return #"{"id":"\#(sectionID())","items":[\#(items.joined(separator: ","))]}"#
    }

    private mutating func sectionID() -> String { "s\(number(0..<6))" }

    private mutating func item(levels: Int) -> String {
        itemsMade += 1
        let id = "i\(itemsMade)"
        let isExpanded = chance(50)
        let content = content()
        let children = levels > 1 && chance(30) ? (0..<number(1..<4)).map { _ in item(levels: levels - 1) } : []
        return #"{"id":"\#(id)","content":\#(content),"expanded":\#(isExpanded),"#
            + #""children":[\#(children.joined(separator: ","))]}"#
    }

    private mutating func content() -> String {
        #"{"n":\#(number(0..<10)),"text":"\#(["Milk", "eggs", "Éclair and milk", "bread"][number(0..<4)])"}"#
    }

    private mutating func one<Element>(_ elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[number(0..<elements.count)]
    }

    // MARK: - Views

    /// Returns a few of the members, each with one of a few values, so that some views can share work.
    mutating func view() -> String {
        var members: [String] = []
        if chance(15) { members.append(#""sections":["s0","s1","s2","absent"]"#) }
        if chance(40) { members.append(#""where":{"path":"/n","atMost":\#(2 * number(1..<4))}"#) }
        if chance(20) { members.append(#""search":"\#(["milk", "eclair", "e"][number(0..<3)])""#) }
        if chance(30) {
            members.append(
                #""sort":[\#([#""/n""#, #"{"path":"id","descending":true}"#, #"{"path":"id","numeric":true}"#][number(0..<3)])]"#
            )
        }
        switch number(0..<4) {
        case 0: members.append(#""expansion":"shared""#)
        case 1:
            let member = chance(50) ? "expanded" : "toggled"
            members.append(#""expansion":"own","\#(member)":[\#(ids(20).joined(separator: ","))]"#)
        default: break
        }
        if chance(50) { members.append(#""window":{\#(start()),"limit":\#(number(1..<12))}"#) }
        return "{\(members.joined(separator: ","))}"
    }

    private mutating func start() -> String {
        if chance(50), let id = one(snapshot.itemIdentifiers) { return #""anchor":"\#(id)""# }
        return #""offset":\#(number(0..<40))"#
    }

    private mutating func ids(_ count: Int) -> [String] {
        (0..<count).compactMap { _ in one(snapshot.itemIdentifiers).map { "\"\($0)\"" } }
    }
}
