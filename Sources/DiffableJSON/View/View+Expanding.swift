import Diffable

extension View {
    /// The same view with other items expanded, as JSON; nil if the view does not have its own expansion. O(its length).
    package func json(withExpanded change: (inout Set<ItemID>) -> Void) -> [UInt8]? {
        guard case .own(var items) = expansion else { return nil }
        change(&items)
        var json = ByteWriter()
        json.append("{")
        let names: [StaticString] = ["sections", "where", "search", "sort"]
        for (name, text) in zip(names, matchingText.split(separator: 0, omittingEmptySubsequences: false))
        where !text.isEmpty {
            json.append("\"")
            json.append(name)
            json.append("\":")
            json.append(Array(text))
            json.append(",")
        }
        json.append(#""expansion":"own","expanded":["#)
        for (index, item) in items.sorted().enumerated() {
            if index > 0 { json.append(",") }
            json.appendString(item)
        }
        json.append("]")
        if let window {
            json.append(#","window":{"#)
            switch window.start {
            case .offset(let offset):
                json.append(#""offset":"#)
                json.append(offset)
            case .anchor(let item):
                json.append(#""anchor":"#)
                json.appendString(item)
            }
            json.append(#","limit":"#)
            json.append(window.limit)
            json.append("}")
        }
        json.append("}")
        return json.bytes
    }
}
