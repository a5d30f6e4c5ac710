import Diffable

extension View {
    /// The same view with other items expanded, as JSON; nil if the view does not have its own expansion. O(length of
    /// the JSON).
    package func json(withExpanded change: (inout Set<ItemID>) -> Void) -> [UInt8]? {
        guard case .own(var items) = expansion else { return nil }
        change(&items)
        var view = self
        view.expansion = .own(items)
        return view.writtenJSON
    }

    /// The view that an update with this extent shows: its window begins where the update says.
    ///
    /// A client continues from it with `since`. The daemon moves a window with `keep`, and replaces an anchor that is deleted.
    package func shown(at extent: Window.Extent?) -> View {
        guard var window, let extent else { return self }
        switch window.start {
        case .offset where !window.keep.isEmpty: window.start = .offset(extent.offset)
        case .anchor: if let anchor = extent.anchor { window.start = .anchor(anchor) }
        case .offset: break
        }
        if window == self.window { return self }
        var view = self
        view.window = window
        view.json = view.writtenJSON
        return view
    }

    /// The view as JSON, from its members.
    private var writtenJSON: [UInt8] {
        var json = ByteWriter()
        var isFirst = true
        func begin(_ name: StaticString) {
            json.append(isFirst ? "{\"" : ",\"")
            json.append(name)
            json.append("\":")
            isFirst = false
        }
        let names: [StaticString] = ["sections", "where", "search", "sort"]
        for (name, text) in zip(names, matchingText.split(separator: 0, omittingEmptySubsequences: false))
        where !text.isEmpty {
            begin(name)
            json.append(Array(text))
        }
        switch expansion {
        case .all: break
        case .shared:
            begin("expansion")
            json.append(#""shared""#)
        case .own(let items):
            begin("expansion")
            json.append(#""own","expanded":"#)
            json.append(items.sorted())
        case .toggled(let items):
            begin("expansion")
            json.append(#""own","toggled":"#)
            json.append(items.sorted())
        }
        if marksFolded {
            begin("folded")
            json.append("true")
        }
        if let window {
            begin("window")
            window.write(into: &json)
        }
        json.append(isFirst ? "{}" : "}")
        return json.bytes
    }
}

extension Window {
    /// Writes the window as a member of a view has it.
    package func write(into json: inout ByteWriter) {
        switch start {
        case .offset(let offset):
            json.append(#"{"offset":"#)
            json.append(offset)
        case .anchor(let item):
            json.append(#"{"anchor":"#)
            json.appendString(item)
            if before > 0 {
                json.append(#","before":"#)
                json.append(before)
            }
        }
        json.append(#","limit":"#)
        json.append(limit)
        if !keep.isEmpty {
            json.append(#","keep":"#)
            json.append(keep)
        }
        if !pins.isEmpty {
            json.append(#","pins":"#)
            json.append(pins)
        }
        if hasAllSections { json.append(#","allSections":true"#) }
        json.append("}")
    }
}

extension ByteWriter {
    fileprivate mutating func append(_ items: [ItemID]) {
        append("[")
        for (index, item) in items.enumerated() {
            if index > 0 { append(",") }
            appendString(item)
        }
        append("]")
    }
}
