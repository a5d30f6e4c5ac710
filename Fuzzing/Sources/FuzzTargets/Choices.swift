import DiffableJSON

/// Makes operations from bytes, one byte a choice, on few ids: most of them are possible.
struct Choices {
    private var rest: UnsafeRawBufferPointer.SubSequence

    init(_ bytes: UnsafeRawBufferPointer) { rest = bytes[...] }

    var isEmpty: Bool { rest.isEmpty }

    private mutating func choice(_ count: Int) -> Int { Int(rest.popFirst() ?? 0) % count }

    private mutating func section() -> String { "\"\("stuv".map { "\($0)" }[choice(4)])\"" }

    private mutating func id() -> String { "\"\(choice(64))\"" }

    private mutating func content() -> String { ["null", "1", #"{"a":1}"#, #"{"a":{"b":2},"c":3}"#][choice(4)] }

    /// Returns a transaction as JSON.
    mutating func transaction() -> [UInt8] {
        let operations = (0...choice(4)).map { _ in operation() }
        return Array("[\(operations.joined(separator: ","))]".utf8)
    }

    private mutating func items(levels: Int = 3) -> String {
        let items = (0...choice(4)).map { _ in
            var item = #"{"id":\#(id())"#
            let members = choice(16)
            if members & 1 != 0 { item += #","content":\#(content())"# }
            if members & 2 != 0 { item += #","expanded":true"# }
            if members & 4 != 0 { item += #","kind":"k""# }
            if members & 8 != 0, levels > 0 { item += #","children":\#(self.items(levels: levels - 1))"# }
            return item + "}"
        }
        return "[\(items.joined(separator: ","))]"
    }

    private mutating func ids() -> String {
        "[\((0...choice(4)).map { _ in id() }.joined(separator: ","))]"
    }

    /// Returns the place for an item.
    private mutating func place() -> String {
        switch choice(6) {
        case 0: #""section":\#(section())"#
        case 1: #""parent":\#(id())"#
        case 2: #""before":\#(id())"#
        case 3: #""after":\#(id())"#
        case 4: #""section":\#(section()),"after":null"#
        default: #""parent":\#(id()),"after":null"#
        }
    }

    private mutating func operation() -> String {
        // New choices get unused bytes, so that the corpus keeps its meaning.
        if rest.first == 255 || rest.first == 254 {
            let verb = choice(256) == 255 ? "reconfigureList" : "patchList"
            return #"{"op":"\#(verb)","content":\#(content())}"#
        }
        switch choice(20) {
        case 0: return #"{"op":"appendSections","sections":[{"id":\#(section()),"items":\#(items())}]}"#
        case 1:
            return #"{"op":"insertSections","sections":[{"id":\#(section())}],"before":\#(section())}"#
        case 2: return #"{"op":"deleteSections","sections":[\#(section())],"ifPresent":true}"#
        case 3: return #"{"op":"moveSection","section":\#(section()),"after":\#(section())}"#
        case 4: return #"{"op":"moveSection","section":\#(section()),"after":null}"#
        case 5: return #"{"op":"reloadSections","sections":[{"id":\#(section()),"content":\#(content())}]}"#
        case 6: return #"{"op":"reloadItems","items":[{"id":\#(id()),"kind":null,"content":\#(content())}]}"#
        case 7: return #"{"op":"deleteItems","items":\#(ids()),"ifPresent":true}"#
        case 8: return #"{"op":"reconfigureItems","items":[{"id":\#(id()),"content":\#(content())},\#(id())]}"#
        case 9: return #"{"op":"patchItems","items":[{"id":\#(id()),"content":\#(content())}]}"#
        case 10: return #"{"op":"expandItems","items":\#(ids())}"#
        case 11: return #"{"op":"collapseItems","items":\#(ids())}"#
        case 12: return #"{"op":"replaceChildren","parent":\#(id()),"items":\#(items())}"#
        case 13: return choice(32) == 0 ? #"{"op":"deleteAllItems"}"# : #"{"op":"reloadItems","items":\#(ids())}"#
        case 14...16: return #"{"op":"moveItem","item":\#(id()),\#(place())}"#
        default:
            let place = place()
            let verb = place.contains("before") || place.contains("after") ? "insertItems" : "appendItems"
            return #"{"op":"\#(verb)","items":\#(items()),\#(place)}"#
        }
    }
}
